regress <- function(x, ...) UseMethod("regress")

# `shape ~ age + sex`, where `ranges` has the public range or the public levels of each predictor.
regress.formula <- function(x, data = NULL, manifold, ranges = list(), slope_bound = NULL, predictor_range = NULL,
                            ...) {
  if (length(x) != 3) refuse("the formula has no response: write it on the left, as in shape ~ age + sex")
  look <- function(what) eval(what, data, environment(x))
  response <- look(x[[2]])
  if (!is.null(slope_bound)) {
    if (!is.name(x[[3]])) refuse("a geodesic regression has one predictor: name it alone, as in shape ~ age")
    fit <- regress.default(look(x[[3]]), response, manifold, slope_bound = slope_bound,
                           predictor_range = predictor_range, ...)
    fit$model <- list(predictor = x[[3]])
    return(fit)
  }
  terms <- terms_of(x[[3]], ranges)
  model <- list(names = intersect(all.vars(x[[3]]), names(ranges)), ranges = ranges)
  n <- rows_of(response)$n
  fit <- regress_on(covariates_of(model, look, n), response, manifold, as.list(terms), ...)
  fit$model <- model
  fit
}

regress.default <- function(x, y, manifold, slope_bound = NULL, predictor_range = NULL, ...) {
  if (is.null(slope_bound)) {
    rows <- rows_of(x)
    return(regress_on(rows$values, y, manifold, list(matrix = rows$width), ...))
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
  statistic <- if (is.null(slope_bound)) "feature-regression" else "geodesic-regression"
  fit <- release(statistic, y, given, "karcher_regression", predictors)
  fit$layout <- layout
  fit
}

# The library's names of the terms of a formula.
terms_of <- function(part, ranges) {
  if (is.call(part) && identical(part[[1]], as.name("+")) && length(part) == 3) {
    return(c(terms_of(part[[2]], ranges), terms_of(part[[3]], ranges)))
  }
  if (identical(part, 1)) character() else term_of(part, ranges)
}

term_of <- function(part, ranges) {
  if (is.name(part)) {
    range <- range_of(part, ranges)
    kind <- if (is.character(range)) "levels" else "linear"
    return(paste(c(kind, quoted(as.character(part)), range_text(range)), collapse = ":"))
  }
  if (is.call(part) && identical(part[[1]], as.name(":"))) {
    return(sprintf("product:%s*%s", term_of(part[[2]], ranges), term_of(part[[3]], ranges)))
  }
  if (is.call(part) && is.name(part[[1]]) && as.character(part[[1]]) %in% c("poly", "spline") && length(part) == 3) {
    words <- c(as.character(part[[1]]), quoted(as.character(part[[2]])), range_text(range_of(part[[2]], ranges)), part[[3]])
    return(paste(words, collapse = ":"))
  }
  refuse(sprintf("the formula has %s: expected names, poly(x, degree), spline(x, knots), and products with a colon",
                 deparse1(part)))
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
quoted <- function(levels) ifelse(grepl("[,:*]", levels), paste0('"', levels, '"'), levels)

# The numbers of all covariates, row after row: of levels the place of each.
covariates_of <- function(model, look, n) {
  if (length(model$names) == 0) return(numeric(n))
  columns <- lapply(model$names, function(name) {
    value <- look(as.name(name))
    range <- model$ranges[[name]]
    if (!is.character(range)) return(numbers_of(value, name))
    ifelse(is.na(value), NA_real_, match(as.character(value), range, nomatch = length(range) + 1) - 1)
  })
  as.double(t(do.call(cbind, columns)))
}

# A numeric column. The codes of a factor would depend on all records.
numbers_of <- function(value, name) {
  if (!is.numeric(value)) refuse(sprintf("%s is of class %s: a predictor with a range is numeric", name, class(value)[1]))
  as.double(value)
}

predict.karcher_regression <- function(object, newdata, region = FALSE, ...) {
  look <- function(what) eval(what, newdata, parent.frame(2))
  if (!is.null(object$model$predictor)) {
    at <- look(object$model$predictor)
    n <- length(at)
  } else if (!is.null(object$model)) {
    n <- if (is.data.frame(newdata)) nrow(newdata) else length(newdata[[1]])
    at <- covariates_of(object$model, look, n)
  } else {
    rows <- rows_of(newdata, name = "newdata")
    at <- rows$values
    n <- rows$n
  }
  found <- call_rust("predict", list(json = object$json, layout = object$layout, n = n), predictors = as.double(at))
  points <- shaped(found$points, found$shape, n)
  if (is.matrix(points) && length(found$columns) == ncol(points)) colnames(points) <- found$columns
  if (is.matrix(points) && ncol(points) == 1) points <- as.vector(points)
  if (region) list(fit = points, region = found$radii) else points
}
