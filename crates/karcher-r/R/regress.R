regress <- function(x, ...) UseMethod("regress")

# `shape ~ age + sex`, where `ranges` has the public range or the public levels of each predictor.
regress.formula <- function(x, data = NULL, manifold, ranges = list(), slope_bound = NULL, predictor_range = NULL,
                            ...) {
  if (missing(manifold)) no_manifold()
  if (length(x) != 3) refuse("the formula has no response: write it on the left, as in shape ~ age + sex")
  if (!is.null(data) && !is.list(data)) refuse("data is neither a data frame nor a list of variables")
  look <- function(what) eval(what, data, environment(x))
  response <- look(x[[2]])
  if (!is.null(slope_bound)) {
    if (!is.name(x[[3]])) refuse("a geodesic regression has one predictor: name it alone, as in shape ~ age")
    fit <- regress.default(look(x[[3]]), response, manifold, slope_bound = slope_bound,
                           predictor_range = predictor_range, ...)
    fit$model <- list(predictor = x[[3]])
    return(fit)
  }
  parts <- parts_of(x, data)
  terms <- vapply(parts, term_of, "", ranges)
  model <- list(names = unique(unlist(lapply(parts, all.vars))), ranges = ranges)
  fit <- regress_on(covariates_of(model, look, records_in(response)), response, manifold, as.list(terms),
                    predictor_range = predictor_range, ...)
  fit$model <- model
  fit
}

regress.default <- function(x, y, manifold, slope_bound = NULL, predictor_range = NULL, ...) {
  if (missing(manifold)) no_manifold()
  if (is.null(slope_bound)) {
    rows <- rows_of(x)
    as_many(rows$n, records_in(y), "x")
    return(regress_on(rows$values, y, manifold, list(matrix = rows$width), predictor_range = predictor_range, ...))
  }
  if (length(predictor_range) != 2) {
    refuse("predictor_range is missing: give its two ends, predictor_range = c(low, high), never from these records")
  }
  range <- list(low = predictor_range[1], high = predictor_range[2])
  regress_on(numbers_of(x, "x"), y, manifold, NULL, slope_bound = slope_bound, predictor_range = range, ...)
}

regress_on <- function(predictors, y, manifold, features, radius = NULL, center = NULL, epsilon = NULL, delta = NULL,
                       mu = NULL, rho = NULL, slope_bound = NULL, predictor_range = NULL, residual_bound = NULL,
                       mechanism = "auto", steps = NULL, numerics = "exact", adjacency = "replace-one", n_guess = NULL,
                       on_invalid = "error", groups = NULL, columns = NULL, layout = NULL, ledger = NULL,
                       random_state = NULL, n_jobs = NULL) {
  given <- as.list(environment())
  if (is.null(slope_bound) && !is.null(predictor_range)) {
    refuse("predictor_range belongs to a geodesic: give slope_bound too, or ranges alone")
  }
  statistic <- if (is.null(slope_bound)) "feature-regression" else "geodesic-regression"
  fit <- release(statistic, y, given, "karcher_regression", predictors)
  fit$layout <- layout
  fit
}

# The terms of a formula, as lm() finds them. A product without its parts would be another model than in lm().
parts_of <- function(formula, data) {
  if ("." %in% all.vars(formula) && !is.data.frame(data)) {
    refuse("the formula has a dot, for which data must be a data frame: name the predictors")
  }
  found <- stats::terms(formula, data = data)
  if (attr(found, "intercept") == 0 || !is.null(attr(found, "offset"))) {
    refuse("the formula has an offset or no constant: every regression here has a constant, and no offset")
  }
  factors <- attr(found, "factors")
  lacks <- if (length(factors) > 0) names(which(colSums(factors == 2) > 0))
  if (length(lacks) > 0) {
    product <- lacks[1]
    refuse(sprintf("%s is there without its parts: write %s", product, gsub(":", " * ", product, fixed = TRUE)))
  }
  lapply(attr(found, "term.labels"), str2lang)
}

# The name of a term in the library.
term_of <- function(part, ranges) {
  if (is.name(part)) {
    range <- range_of(part, ranges)
    kind <- if (is.character(range)) "levels" else "linear"
    return(paste(c(kind, quoted(as.character(part)), range_text(range)), collapse = ":"))
  }
  if (is.call(part) && identical(part[[1]], as.name(":"))) {
    factors <- function(part) {
      is_product <- is.call(part) && identical(part[[1]], as.name(":"))
      if (is_product) unlist(lapply(as.list(part)[-1], factors)) else term_of(part, ranges)
    }
    return(paste0("product:", paste(factors(part), collapse = "*")))
  }
  if (is.call(part) && is.name(part[[1]]) && as.character(part[[1]]) %in% c("poly", "spline") && length(part) == 3 &&
      is.name(part[[2]]) && is.numeric(part[[3]])) {
    range <- range_text(range_of(part[[2]], ranges))
    words <- c(as.character(part[[1]]), quoted(as.character(part[[2]])), range, part[[3]])
    return(paste(words, collapse = ":"))
  }
  refuse(sprintf(paste("the formula has %s: expected names, poly(x, degree), spline(x, knots) with a number,",
                       "and products, a * b or a:b"), deparse1(part)))
}

range_of <- function(name, ranges) {
  name <- as.character(name)
  range <- ranges[[name]]
  if (is.character(range) || (is.numeric(range) && length(range) == 2)) return(range)
  refuse(sprintf("ranges has no %s: give its public range or its public levels, as in ranges = list(%s = c(low, high))",
                 name, name))
}

range_text <- function(range) {
  if (is.character(range)) paste(quoted(range), collapse = ",") else vapply(range, format, "", digits = 17)
}

# Levels with a separator of terms in their names, between quotes.
quoted <- function(levels) {
  ifelse(grepl("[,:*\"]", levels), paste0('"', gsub('"', '""', levels, fixed = TRUE), '"'), levels)
}

# The numbers of all covariates, row by row; a level is its position.
covariates_of <- function(model, look, n) {
  columns <- lapply(model$names, function(name) {
    value <- look(as.name(name))
    as_many(length(value), n, name)
    range <- model$ranges[[name]]
    if (!is.character(range)) return(numbers_of(value, name))
    keys <- keys_of(value)
    ifelse(is.na(keys), NA_real_, match(keys, keys_of(range), nomatch = length(range) + 1) - 1)
  })
  if (length(columns) == 0) numeric(n) else as.double(t(do.call(cbind, columns)))
}

# The number of records may be confidential.
as_many <- function(found, n, name) {
  if (found != n) refuse(sprintf("%s has not as many rows as there are records: give one for each", name))
}

# A numeric column. The codes of a factor would depend on all records.
numbers_of <- function(value, name) {
  if (!is.numeric(value)) {
    refuse(sprintf("%s is of class %s: a predictor with a range is numeric", name, class(value)[1]))
  }
  as.double(value)
}

# If a predictor is missing, so is the prediction.
predict.karcher_regression <- function(object, newdata, region = FALSE, ...) {
  chkDots(...)
  flag("region", region)
  if (region && !is.null(object$footpoint)) refuse("a geodesic has no regions: leave out region = TRUE")
  at <- predictors_at(object, newdata)
  known <- stats::complete.cases(at) | rep(ncol(at) == 0, nrow(at))
  request <- list(json = object$json, layout = object$layout, n = sum(known), axes = object$axes)
  found <- call_rust("predict", request, predictors = as.double(t(at[known, , drop = FALSE])))
  points <- matrix(NA_real_, found$numbers, nrow(at))
  points[, known] <- as.double(unlist(found$points))
  fit <- shaped(as.vector(points), object$axes %||% found$numbers, nrow(at))
  if (is.matrix(fit) && length(found$columns) == ncol(fit)) colnames(fit) <- found$columns
  if (is.matrix(fit) && ncol(fit) == 1) fit <- as.vector(fit)
  if (!region) return(fit)
  list(fit = fit, region = replace(rep(NA_real_, nrow(at)), known, as.double(unlist(found$radii))))
}

# The predictors of new data, one row per prediction.
predictors_at <- function(object, newdata) {
  model <- object$model
  is_geodesic <- !is.null(object$footpoint)
  if (is.null(model) || (is_geodesic && is.numeric(newdata) && is.null(dim(newdata)))) {
    width <- if (is_geodesic) 1 else object$spec$features$matrix
    if (width > 1 && is.null(dim(newdata)) && length(newdata) == width) newdata <- t(newdata)
    rows <- rows_of(newdata, name = "newdata")
    if (rows$width != width) {
      refuse(sprintf("newdata has %.0f columns, and the regression has %.0f predictors", rows$width, width))
    }
    found <- matrix(rows$values, rows$n, width, byrow = TRUE)
  } else {
    found <- columns_at(model, newdata)
  }
  ends <- if (is_geodesic) list(unlist(object$predictor_range[c("low", "high")])) else model$ranges[model$names]
  for (k in which(vapply(ends, is.numeric, NA))) {
    outside <- sum(found[, k] < ends[[k]][1] | found[, k] > ends[[k]][2], na.rm = TRUE)
    if (outside > 0) {
      count <- sprintf("rows of newdata that are outside of %s to %s: %d", ends[[k]][1], ends[[k]][2], outside)
      warning(count, "; they count as the end", call. = FALSE)
    }
  }
  found
}

# The predictors of a formula, taken only from the new data. Levels must be known.
columns_at <- function(model, newdata) {
  names <- if (is.null(model$predictor)) model$names else as.character(model$predictor)
  if (!is.list(newdata)) refuse(sprintf("newdata is no data frame: give one with %s", paste(names, collapse = ", ")))
  lacking <- setdiff(names, names(newdata))
  if (length(lacking) > 0) refuse(sprintf("newdata has no column %s", lacking[1]))
  for (one in intersect(names, names(Filter(is.character, model$ranges)))) {
    strange <- setdiff(keys_of(newdata[[one]]), c(keys_of(model$ranges[[one]]), "other", NA))
    if (length(strange) > 0) {
      levels <- paste(c(model$ranges[[one]], "other"), collapse = ", ")
      refuse(sprintf("newdata has %s for %s: its levels are %s", strange[1], one, levels))
    }
  }
  n <- if (is.data.frame(newdata)) nrow(newdata) else max(lengths(newdata[names]), 0)
  look <- function(what) {
    value <- newdata[[as.character(what)]]
    if (is.logical(value) && all(is.na(value))) as.numeric(value) else value
  }
  if (length(names) == 0) return(matrix(0, n, 0))
  if (is.null(model$predictor)) return(matrix(covariates_of(model, look, n), n, length(names), byrow = TRUE))
  matrix(numbers_of(look(names), names), n, 1)
}
