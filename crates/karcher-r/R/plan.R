plan <- function(manifold, n = NULL, radius = NULL, center = NULL, epsilon = NULL, delta = NULL, mu = NULL, rho = NULL,
                 error = NULL, statistic = "mean", ball = NULL, within = NULL, quantile = NULL, expected_spread = NULL,
                 mechanism = "auto", numerics = "exact", adjacency = "replace-one", n_guess = NULL, layout = NULL) {
  given <- as.list(environment())
  names <- c(mean = "frechet-mean", median = "geometric-median", variance = "frechet-variance")
  one_of("statistic", statistic, names(names))
  if (statistic != "mean") {
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

format.karcher_plan <- function(x, ...) {
  all <- as.data.frame(x)
  shown <- function(error) ifelse(is.na(error), "", formatC(error, digits = 4))
  best <- if (is.null(x$best)) "none of them: see the reasons" else x$best
  c(sprintf("plan of %s, %.0f records: %s", x$manifold, x$n, x$text), sprintf("best            %s", best),
    sprintf("%-15s %-10s %s", all$mechanism, shown(all$expected_distance), ifelse(is.na(all$reason), "", all$reason)))
}

print.karcher_plan <- function(x, ...) {
  cat(strwrap(format(x), exdent = 16, width = getOption("width")), sep = "\n")
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

compose <- function(..., delta = NULL) {
  budgets <- lapply(list(...), function(one) budget_of(if (inherits(one, "karcher_release")) one$guarantee else one))
  if (length(budgets) == 0) refuse("nothing to compose: give budgets, such as budget(epsilon = 1), or releases")
  structure(call_rust("compose", list(budgets = budgets, delta = delta)), class = "karcher_budget")
}

format.karcher_budget <- function(x, ...) {
  x$text %||% paste(names(budget_of(x)), "=", vapply(budget_of(x), format, ""), collapse = ", ")
}

print.karcher_budget <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}
