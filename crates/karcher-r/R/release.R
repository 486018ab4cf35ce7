frechet_mean <- function(x, manifold, radius = NULL, center = NULL, epsilon = NULL, delta = NULL, mu = NULL, rho = NULL,
                         ball = NULL, within = NULL, quantile = NULL, expected_spread = NULL, mechanism = "auto",
                         steps = NULL, calibration = NULL, bound = NULL, tolerance = NULL, numerics = "exact",
                         denoise = NULL, assume_in_ball = FALSE, spread = FALSE, spread_clip = NULL,
                         adjacency = "replace-one", n_guess = NULL, on_invalid = "error", groups = NULL,
                         columns = NULL, layout = NULL, ledger = NULL, random_state = NULL, n_jobs = NULL) {
  if (missing(manifold)) no_manifold()
  release("frechet-mean", x, as.list(environment()), "karcher_mean")
}

directional_mean <- function(x, manifold = "sphere:2", epsilon = NULL, delta = NULL, mu = NULL, rho = NULL,
                             adjacency = "replace-one", n_guess = NULL, on_invalid = "error", groups = NULL,
                             columns = NULL, layout = NULL, ledger = NULL, random_state = NULL, n_jobs = NULL) {
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
  persons <- persons_of(given$groups, rows$n)
  if (!is.null(persons)) request$fields$unit <- "person"
  warn_if_weak(request, rows$n)
  found <- call_rust("release", request, rows$values, predictors, persons)
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

# Warns, before anything is spent, of a budget that protects hardly anyone. A confidential number of records decides
# nothing, nor does the number of records of persons.
warn_if_weak <- function(request, n) {
  fields <- request$fields
  is_public <- !identical(fields$adjacency, "add-remove")
  n <- if (!is_public) fields$n_guess else if (is.null(fields$unit)) n
  for (caveat in call_rust("caveats", list(budget = request$budget, n = n))) warning(caveat, call. = FALSE)
}

# What a release depends on, as the compiled half reads it.
request_of <- function(statistic, given) {
  one_of("on_invalid", given$on_invalid, c("error", "replace-with-center"))
  own <- c("manifold", "mechanism", "steps", "calibration", "bound", "tolerance", "numerics", "denoise", "features",
           "assume_in_ball", "expected_spread", "adjacency", "n_guess", "predictor_range", "slope_bound",
           "residual_bound")
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
    data.frame(space = one$space, resultant_length = one$mean_resultant_length,
               low = one$mean_resultant_length_interval[1], high = one$mean_resultant_length_interval[2],
               kappa = one$concentration$kappa %||% NA, alpha95 = one$population_region$radius %||% NA,
               p_value = one$uniformity$p_value)
  })
  drop_null(list(statistic = object$statistic, value = object$value, written = object$written,
                 region = object$region$radius, spread = object$spread$root_mean_square,
                 fraction_outside = object$spread$fraction_outside$value, guarantee = guarantee(object), n = object$n,
                 mechanism = object$mechanism, expected_distance = object$expected_distance, flags = object$flags,
                 directional = if (length(factors) > 0) do.call(rbind, factors), effects = effects_of(object)))
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

# The effects of a regression on features, one a row: with their sign in one dimension.
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
