plan <- function(manifold, n = NULL, radius = NULL, center = NULL, epsilon = NULL, delta = NULL, mu = NULL, rho = NULL,
                 error = NULL, statistic = "mean", ball = NULL, within = NULL, quantile = NULL, expected_spread = NULL,
                 mechanism = "auto", numerics = "exact", adjacency = "replace-one", n_guess = NULL, layout = NULL,
                 formula = NULL, ranges = list(), slope_bound = NULL, residual_bound = NULL) {
  if (missing(manifold)) no_manifold()
  given <- as.list(environment())
  names <- c(unlist(call_rust("statistics", list())),
             regression = if (is.null(slope_bound)) "feature-regression" else "geodesic-regression")
  one_of("statistic", statistic, names(names))
  if (statistic == "regression") {
    if (!is.null(ball) || !is.null(expected_spread)) refuse("ball and expected_spread belong to statistic = \"mean\"")
    given <- c(given, of_regression(formula, ranges, slope_bound))
  } else if (!is.null(formula) || !is.null(slope_bound) || !is.null(residual_bound) || length(ranges) > 0) {
    refuse("formula, ranges, slope_bound and residual_bound belong to statistic = \"regression\"")
  } else if (statistic != "mean") {
    if (!identical(mechanism, "auto") || !is.null(ball) || !is.null(expected_spread)) {
      refuse("mechanism, ball and expected_spread belong to statistic = \"mean\"")
    }
    given$mechanism <- NULL
  }
  request <- request_of(names[[statistic]], given)
  if (is.null(center)) request$ball$any_center <- TRUE  # an error depends on none
  found <- call_rust("plan", c(request, list(n = n, error = error)))
  structure(c(found, list(request = request)), class = "karcher_plan")
}

# The terms of a regression on features, or the range of a geodesic's predictor, on which no error depends.
of_regression <- function(formula, ranges, slope_bound) {
  if (!is.null(slope_bound)) {
    if (!is.null(formula) || length(ranges) > 0) refuse("a geodesic has one predictor: leave out formula and ranges")
    return(list(predictor_range = list(low = 0, high = 1)))
  }
  if (!inherits(formula, "formula")) {
    refuse("formula is missing: give the terms, as in formula = ~ age + sex, with ranges; or slope_bound for a geodesic")
  }
  list(features = as.list(vapply(parts_of(formula, NULL), term_of, "", ranges)))
}

format.karcher_plan <- function(x, ...) {
  all <- as.data.frame(x)
  shown <- function(error) ifelse(is.na(error), "", formatC(error, digits = 4))
  best <- if (is.null(x$best)) "none of them: see the reasons" else x$best
  rows <- sprintf("%-15s %-10s ", all$mechanism, shown(all$expected_distance))
  reasons <- strwrap(ifelse(is.na(all$reason), "", all$reason), getOption("width") - 27, simplify = FALSE)
  rows <- unlist(Map(function(row, lines) {
    trimws(paste0(c(row, rep(strrep(" ", 27), max(length(lines), 1) - 1)), lines), "right")
  }, rows, reasons), use.names = FALSE)
  c(sprintf("plan of %s, %.0f records: %s", x$manifold, x$n, x$text), sprintf("best            %s", best), rows)
}

print.karcher_plan <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}

summary.karcher_plan <- function(object, ...) {
  all <- as.data.frame(object)
  all[!is.na(all$expected_distance), ]
}

as.data.frame.karcher_plan <- function(x, row.names = NULL, optional = FALSE, ...) {
  rows <- lapply(x$candidates, function(one) {
    data.frame(mechanism = one$mechanism, expected_distance = one$expected_distance %||% NA_real_,
               quantile_95 = one$quantile_95 %||% NA_real_, reason = one$reason %||% NA_character_)
  })
  do.call(rbind, rows)
}

calibrate <- function(manifold, sensitivity, mechanism, epsilon = NULL, delta = NULL, mu = NULL, rho = NULL,
                      scale = NULL) {
  if (missing(manifold)) no_manifold()
  request <- list(manifold = manifold, sensitivity = sensitivity, mechanism = mechanism, scale = scale,
                  budget = budget_of(list(epsilon = epsilon, delta = delta, mu = mu, rho = rho)))
  structure(call_rust("calibrate", request), class = "karcher_noise")
}

format.karcher_noise <- function(x, ...) {
  c(paste("scale          ", format(x$scale)), paste("guarantee      ", x$text),
    paste("expected error ", format(x$expected_distance)), paste("95 % within    ", format(x$quantile_95)))
}

print.karcher_noise <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}

budget <- function(epsilon = NULL, delta = NULL, mu = NULL, rho = NULL) compose(as.list(environment()))

# Releases say whom they protect, and against what; budgets are taken for the same.
compose <- function(..., delta = NULL) {
  given <- unname(list(...))
  if (length(given) == 0) refuse("there are no guarantees: give budgets, such as budget(epsilon = 1), or releases")
  releases <- vapply(given, inherits, NA, "karcher_release")
  if (any(releases) && !all(releases)) {
    refuse("releases and budgets have no sum: a budget does not say what it protects; give releases alone, or budgets")
  }
  what <- if (all(releases)) list(releases = lapply(given, `[[`, "json")) else list(budgets = lapply(given, budget_of))
  structure(call_rust("compose", c(what, list(delta = delta))), class = "karcher_budget")
}

format.karcher_budget <- function(x, ...) {
  x$text %||% paste(names(budget_of(x)), "=", vapply(budget_of(x), format, ""), collapse = ", ")
}

print.karcher_budget <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}
