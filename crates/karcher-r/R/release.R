frechet_mean <- function(x, manifold, radius = NULL, center = NULL, epsilon = NULL, delta = NULL, mu = NULL, rho = NULL,
                         ball = NULL, within = NULL, quantile = NULL, expected_spread = NULL, mechanism = "auto",
                         steps = NULL, calibration = NULL, bound = NULL, tolerance = NULL, numerics = "exact",
                         denoise = NULL, assume_in_ball = FALSE, spread = FALSE, spread_clip = NULL,
                         adjacency = "replace-one", n_guess = NULL, on_invalid = "error", groups = NULL, by = NULL,
                         levels = NULL, columns = NULL, layout = NULL, ledger = NULL, random_state = NULL,
                         n_jobs = NULL) {
  if (missing(manifold)) no_manifold()
  release("frechet-mean", x, as.list(environment()), "karcher_mean")
}

directional_mean <- function(x, manifold = "sphere:2", epsilon = NULL, delta = NULL, mu = NULL, rho = NULL,
                             adjacency = "replace-one", n_guess = NULL, on_invalid = "error", groups = NULL,
                             by = NULL, levels = NULL, columns = NULL, layout = NULL, ledger = NULL,
                             random_state = NULL, n_jobs = NULL) {
  given <- c(as.list(environment()), mechanism = "extrinsic")
  release("frechet-mean", x, given, c("karcher_directional", "karcher_mean"))
}

geodesic_median <- function(x, manifold, radius = NULL, center = NULL, epsilon = NULL, delta = NULL, mu = NULL,
                            rho = NULL, steps = NULL, on_invalid = "error", groups = NULL, columns = NULL,
                            layout = NULL, ledger = NULL, random_state = NULL, n_jobs = NULL) {
  if (missing(manifold)) no_manifold()
  release("geometric-median", x, as.list(environment()), "karcher_mean")
}

# The release of a statistic, by the arguments of a call.
release <- function(statistic, x, given, class, predictors = NULL) {
  request <- request_of(statistic, given)
  rows <- rows_of(x, given$columns)
  request[c("width", "names", "all", "axes")] <- list(rows$width, as.list(rows$names), as.list(rows$all), rows$axes)
  if (is.character(given$columns)) request$columns <- as.list(given$columns)
  persons <- persons_of(given$groups, rows$n)
  if (!is.null(persons)) request$fields$unit <- "person"
  groups <- groups_of(given, rows$n)
  if (!is.null(groups)) {
    guesses <- request$fields$n_guess
    if (length(guesses) == 1) guesses <- rep(guesses, length(groups$names))
    request$fields$n_guess <- NULL
    request$fields$groups <- list(by = "by", names = as.list(groups$names), n_guess = as.list(guesses))
  }
  warn_if_weak(request, rows$n)
  warn_if_again(request, rows)
  as_release <- function(found) as_release_of(found, rows, class)
  if (is.null(groups)) {
    made <- as_release(call_rust("release", request, rows$values, predictors, persons))
    say_of_noise(made$flags)
    return(made)
  }
  found <- call_rust("groups", request, rows$values, NULL, groups$numbers)
  releases <- stats::setNames(lapply(found$groups, as_release), groups$names)
  say_of_noise(unlist(lapply(releases, `[[`, "flags")))
  structure(list(releases = releases, guarantee = found$guarantee, replace_one = found$replace_one,
                 text = found$text, replaced = found$replaced, notes = found$notes), class = "karcher_groups")
}

# A release as the methods of R take it.
as_release_of <- function(found, rows, class) {
  made <- found$release
  for (name in intersect(c("value", "footpoint", "shooting_vector"), names(made))) {
    made[[name]] <- shaped(made[[name]], found$shape)
  }
  if (length(found$written) > 0) {
    names <- if (length(rows$names) == length(found$written)) rows$names else found$columns
    made$written <- if (!is.null(rows$axes)) shaped(found$written, rows$axes) else found$written
    if (is.null(rows$axes) && length(names) == length(found$written)) names(made$written) <- names
  }
  structure(c(made, found[c("json", "text", "details", "sentence")], list(axes = rows$axes)), class = c(class, "karcher_release"))
}

# Warns of a budget that protects hardly anyone, before it is spent. This does not depend on a confidential number of
# records, nor on the number of records of persons.
warn_if_weak <- function(request, n) {
  fields <- request$fields
  is_public <- !identical(fields$adjacency, "add-remove")
  guesses <- c(fields$n_guess, unlist(fields$groups$n_guess))
  n <- if (is_public) (if (is.null(fields$unit)) n) else if (length(guesses) > 0) min(guesses)
  for (caveat in call_rust("caveats", list(budget = request$budget, n = n))) warning(caveat, call. = FALSE)
}

# Reports that a value is mostly noise. The flag depends only on public quantities. It is a message, because the budget
# is spent: with options(warn = 2) a warning would be an error and lose the release.
say_of_noise <- function(flags) {
  if ("noise-exceeds-ball" %in% flags) {
    say("karcher_mostly_noise", "the expected error exceeds the radius of the ball, so the value is mostly noise: ",
         "use more records, a smaller ball or a larger budget; plan() says so before anything is spent")
  }
}

# How often data sets of each size were released in this session without a ledger.
made <- new.env(parent = emptyenv())

# Warns of repeated releases without a ledger, by the number of records alone. There is no warning if this number is
# confidential, or if persons are protected.
warn_if_again <- function(request, rows) {
  is_counted <- !is.null(request$ledger) || !is.null(request$random_state)
  is_public <- !identical(request$fields$adjacency, "add-remove") && is.null(request$fields$unit)
  if (is_counted || !is_public) return(invisible())
  size <- paste(rows$n, rows$width, request$fields$manifold)
  made[[size]] <- (made[[size]] %||% 0) + 1
  if (made[[size]] == 2) {
    warn("karcher_repeated", "these records are as many as those of an earlier release in this session, and no ",
         "ledger counts both: if they are the same people, both budgets add up; give ledger = to count them, or compose() ",
         "the releases")
  }
}

warn <- function(class, ...) warning(condition_of(c(class, "karcher_warning", "warning"), paste0(...)))

say <- function(class, ...) message(condition_of(c(class, "message"), paste0("karcher: ", ..., "\n")))

condition_of <- function(class, text) structure(list(message = text, call = NULL), class = c(class, "condition"))

# The public groups, and the number of each record's group, from 0. Records outside all groups are not counted.
groups_of <- function(given, n) {
  if (is.null(given$by) && is.null(given$levels)) return(NULL)
  if (is.null(given$by) || is.null(given$levels)) {
    refuse("by and levels belong together: by has the group of each record, levels the public list of groups")
  }
  if (!is.null(given$groups)) refuse("groups names persons, who may be in several groups: there is no proof for both")
  if (length(given$by) != n) refuse("by must have the group of each record: its length is another")
  names <- as.character(given$levels)
  keys <- match(keys_of(given$by), keys_of(given$levels), nomatch = length(names) + 1)
  list(names = names, numbers = as.double(keys - 1))
}

# Everything on which a release depends, in the form of the compiled half.
request_of <- function(statistic, given) {
  one_of("on_invalid", given$on_invalid, c("error", "replace-with-center"))
  own <- c("manifold", "mechanism", "steps", "calibration", "bound", "tolerance", "numerics", "denoise", "features",
           "assume_in_ball", "expected_spread", "adjacency", "n_guess", "predictor_range", "slope_bound",
           "residual_bound", "score", "unit")
  fields <- drop_null(given[intersect(own, names(given))])
  fields$statistic <- statistic
  flag("spread", given$spread)
  flag("assume_in_ball", given$assume_in_ball)
  if (isTRUE(given$spread)) {
    clip <- drop_null(list(clip = given$spread_clip))
    fields$spread <- stats::setNames(clip, names(clip) %||% character())
  } else if (!is.null(given$spread_clip)) {
    refuse("spread_clip belongs to spread = TRUE")
  }
  if (!is.null(given$ball)) one_of("ball", given$ball, "auto")
  center <- if (is.null(given$center)) NULL else center_of(given$center)
  ball <- list(center = center$values, radius = given$radius, names = center$names, axes = center$axes,
               locate = !is.null(given$ball), within = given$within, quantile = given$quantile)
  account <- if (inherits(given$ledger, "karcher_ledger")) given$ledger$path else given$ledger
  drop_null(list(fields = fields, budget = budget_of(given), ball = drop_null(ball), layout = given$layout,
                 on_invalid = given$on_invalid, random_state = given$random_state, n_jobs = given$n_jobs,
                 ledger = if (!is.null(account)) path.expand(account)))
}

# One record: a vector, a row of a table, a matrix, or an array with one of them.
center_of <- function(center) {
  if (is.list(center) && !is.data.frame(center) && length(center) == 1) center <- center[[1]]
  if (is.null(dim(center)) || length(dim(center)) == 1) {
    if (!is.numeric(center) && !is.complex(center)) refuse("center holds no numbers: give those of one point")
    return(list(values = as.list(doubles(as.vector(center))), names = as.list(names(center))))
  }
  if (is.matrix(center) && nrow(center) > 1) dim(center) <- c(dim(center), 1)
  found <- rows_of(center, name = "center")
  if (found$n != 1) refuse(sprintf("center has %.0f records: give one point", found$n))
  list(values = as.list(found$values), names = as.list(found$names), axes = found$axes)
}

one_of <- function(name, given, known) {
  if (!is.null(given) && !(is.character(given) && length(given) == 1 && given %in% known)) {
    refuse(sprintf("%s is not one of %s", name, paste(dQuote(known, FALSE), collapse = ", ")))
  }
}

flag <- function(name, given) {
  if (!is.null(given) && !isTRUE(given) && !isFALSE(given)) refuse(sprintf("%s is neither TRUE nor FALSE", name))
}

`%||%` <- function(x, y) if (is.null(x)) y else x

persons_of <- function(groups, n) {
  if (is.null(groups)) return(NULL)
  if (length(groups) != n) {
    refuse("groups must name a person for each record: its length is another")
  }
  keys <- keys_of(groups)
  if (anyNA(keys)) refuse(sprintf("groups: the person of record %d is missing (NA)", which(is.na(keys))[1]))
  as.double(match(keys, unique(keys)) - 1)
}

format.karcher_release <- function(x, details = FALSE, ...) if (details) x$details else x$text

print.karcher_release <- function(x, details = FALSE, ...) {
  cat(format(x, details = details), sep = "\n")
  invisible(x)
}

summary.karcher_release <- function(object, ...) {
  factors <- lapply(object$extrinsic$factors, function(one) {
    kappa <- as.double(unlist(one$concentration$interval))
    data.frame(space = one$space, resultant_length = one$mean_resultant_length,
               low = one$mean_resultant_length_interval[1], high = one$mean_resultant_length_interval[2],
               kappa = one$concentration$kappa %||% NA, kappa_low = kappa[1],
               kappa_high = if (length(kappa) == 1) Inf else kappa[2],
               alpha95 = one$population_region$radius %||% NA, any_law95 = one$any_population_region$radius %||% NA,
               frechet_mean_within = one$frechet_mean_within %||% NA, statistic = one$uniformity$statistic,
               p_value = one$uniformity$p_value)
  })
  laws <- lapply(object$extrinsic$factors, function(one) {
    drop_null(list(law = one$concentrations$law, values = one$concentrations$values,
                   intervals = one$concentrations$intervals, ellipse = one$ellipse))
  })
  drop_null(list(statistic = object$statistic, value = object$value, written = object$written,
                 region = object$region$radius, spread = object$spread$root_mean_square,
                 fraction_outside = object$spread$fraction_outside$value, guarantee = guarantee(object), n = object$n,
                 mechanism = object$mechanism, expected_distance = object$expected_distance, flags = object$flags,
                 directional = if (length(factors) > 0) do.call(rbind, factors),
                 concentrations = if (any(lengths(laws) > 0)) laws, effects = effects_of(object)))
}

as.data.frame.karcher_release <- function(x, row.names = NULL, optional = FALSE, ...) {
  effects <- effects_of(x)
  if (!is.null(effects)) return(effects)
  flat <- function(value) if (is.matrix(value)) as.vector(t(value)) else value
  if (!is.null(x$footpoint)) {
    return(data.frame(footpoint = flat(x$footpoint), shooting_vector = flat(x$shooting_vector)))
  }
  if (!is.null(x$coefficients)) {
    rows <- do.call(rbind, x$coefficients)
    return(data.frame(feature = seq_len(nrow(rows)), coefficient = rows))
  }
  value <- flat(x$written %||% x$value)
  data.frame(coordinate = names(value) %||% paste0("x", seq_along(value)), value = unname(value), row.names = row.names)
}

# The effects of a regression on features, one per row, with their sign in one dimension.
effects_of <- function(object) {
  rows <- lapply(object$effects, function(one) {
    change <- one$change %||% list(value = one$distance, interval = one$interval)
    data.frame(term = one$term, from = as.character(one$from), to = as.character(one$to), distance = one$distance,
               change = change$value, low = change$interval[1] %||% NA, high = change$interval[2] %||% NA)
  })
  if (length(rows) > 0) do.call(rbind, rows)
}

# The sentences that state a release in a paper.
sentence <- function(object) object$sentence

nobs.karcher_release <- function(object, ...) object$n %||% NA_integer_

# The budget of a release.
guarantee <- function(object) structure(object$guarantee, class = "karcher_budget")

# One row per group: its value, the number of records and the region.
as.data.frame.karcher_groups <- function(x, row.names = NULL, optional = FALSE, ...) {
  rows <- lapply(names(x$releases), function(name) {
    one <- x$releases[[name]]
    value <- as.data.frame(one)
    value <- stats::setNames(as.data.frame(t(value$value)), value$coordinate)
    cbind(data.frame(group = name), value,
          data.frame(records = one$private_count$noisy_value %||% NA_real_, region = one$region$radius %||% NA_real_))
  })
  do.call(rbind, rows)
}

format.karcher_groups <- function(x, ...) {
  table <- as.data.frame(x)
  table$records <- round(table$records)
  c(utils::capture.output(print(format(table, digits = 4), row.names = FALSE)), "",
    paste("guarantee ", x$text), if (!is.null(x$replaced)) paste("          ", x$replaced, "for a replaced record"),
    sprintf("note        %s", unlist(x$notes)))
}

print.karcher_groups <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}
