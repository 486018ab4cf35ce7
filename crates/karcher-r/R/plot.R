plot.karcher_release <- function(x, ...) {
  value <- x$value
  space <- sub(":.*", "", x$manifold)
  if (x$manifold %in% c("sphere:2", "projective:2")) return(invisible(plot_sphere(x, ...)))
  is_tensor <- startsWith(space, "spd") && is.matrix(value) && nrow(value) %in% 2:3
  if (is_tensor) return(invisible(plot_tensor(value, x$manifold, ...)))
  is_outline <- space %in% c("kendall", "landmarks", "size-and-shape") && is.matrix(value) && ncol(value) == 2
  if (is_outline) return(invisible(plot_outline(value, x$manifold, ...)))
  numbers <- as.data.frame(x)
  if (is.complex(numbers$value)) {
    parts <- expand.grid(part = c("Re", "Im"), coordinate = numbers$coordinate)
    numbers <- data.frame(paste(parts$part, parts$coordinate), as.double(rbind(Re(numbers$value), Im(numbers$value))))
  }
  drawn(graphics::dotchart, list(...), numbers[[ncol(numbers)]], labels = as.character(numbers[[1]]), xlab = x$manifold)
  invisible(x)
}

# A picture whose defaults the arguments of a caller replace.
drawn <- function(draw, given, ...) do.call(draw, utils::modifyList(list(...), given))

# The half of a globe around the value, with meridians, the public ball, the value and its region.
plot_sphere <- function(x, ...) {
  pole <- x$value / sqrt(sum(x$value^2))
  helper <- if (abs(pole[3]) < 0.99) c(0, 0, 1) else c(0, 1, 0)
  east <- cross(helper, pole)
  east <- east / sqrt(sum(east^2))
  frame <- cbind(east, cross(pole, east), pole)
  draw <- function(points, ...) {
    seen <- points %*% frame
    seen[seen[, 3] < 0, ] <- NA
    graphics::lines(seen[, 1], seen[, 2], ...)
  }
  around <- seq(0, 2 * pi, length.out = 181)
  drawn(graphics::plot, list(...), cos(around), sin(around), type = "l", asp = 1, axes = FALSE, xlab = "", ylab = "")
  for (at in seq(-180, 165, 15)) draw(from_degrees(seq(-90, 90, 2), at), col = "grey85")
  for (at in seq(-75, 75, 15)) draw(from_degrees(at, seq(-180, 180, 2)), col = "grey85")
  if (identical(x$layout, "latlon")) {
    for (coast in call_rust("coastlines", list())) {
      draw(from_degrees(coast[c(TRUE, FALSE)], coast[c(FALSE, TRUE)]), col = "grey60")
    }
  }
  if (!is.null(x$ball) && x$ball$radius < pi / 2) draw(circle(x$ball$center, x$ball$radius), lty = 2)
  if (!is.null(x$region)) draw(circle(pole, x$region$radius), col = "firebrick", lwd = 2)
  graphics::points(0, 0, pch = 19, col = "firebrick")
  x
}

cross <- function(a, b) c(a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1])

from_degrees <- function(latitude, longitude) {
  phi <- latitude * pi / 180
  lambda <- longitude * pi / 180
  cbind(cos(phi) * cos(lambda), cos(phi) * sin(lambda), sin(phi) + 0 * lambda)
}

# The points at a distance from a point of the sphere.
circle <- function(center, radius) {
  first <- qr.Q(qr(cbind(center, diag(3)[, order(abs(center))[1:2]])))[, 2:3]
  around <- seq(0, 2 * pi, length.out = 181)
  outer(rep(cos(radius), 181), center) + sin(radius) * (outer(cos(around), first[, 1]) + outer(sin(around), first[, 2]))
}

# The ellipse of a covariance matrix; of three variables its shadows on three planes.
plot_tensor <- function(value, title, ...) {
  pairs <- utils::combn(nrow(value), 2)
  around <- seq(0, 2 * pi, length.out = 181)
  largest <- sqrt(max(diag(value)))
  if (ncol(pairs) > 1) {
    old <- graphics::par(mfrow = c(1, ncol(pairs)))
    on.exit(graphics::par(old))
  }
  for (k in seq_len(ncol(pairs))) {
    two <- pairs[, k]
    edge <- t(chol(value[two, two])) %*% rbind(cos(around), sin(around))
    drawn(graphics::plot, list(...), edge[1, ], edge[2, ], type = "l", asp = 1, xlim = c(-largest, largest),
          ylim = c(-largest, largest), xlab = paste("variable", two[1]), ylab = paste("variable", two[2]), main = title)
  }
  value
}

plot_outline <- function(value, title, ...) {
  drawn(graphics::plot, list(...), rbind(value, value[1, ]), type = "b", pch = 19, asp = 1, xlab = "", ylab = "",
        main = title)
  value
}

# What a geodesic predicts over the range of its predictor; the effects of features with their intervals.
plot.karcher_regression <- function(x, ...) {
  effects <- effects_of(x)
  if (is.null(effects) && is.null(x$footpoint)) {
    coefficients <- as.data.frame(x)
    drawn(graphics::dotchart, list(...), as.double(as.matrix(coefficients[-1])), xlab = "coefficients of the features")
    return(invisible(x))
  }
  if (is.null(effects)) {
    at <- seq(x$predictor_range$low, x$predictor_range$high, length.out = 50)
    points <- call_rust("predict", list(json = x$json, layout = x$layout, n = 50), predictors = at)
    drawn(graphics::matplot, list(...), at, matrix(points$points, nrow = 50, byrow = TRUE), type = "l",
          xlab = "predictor", ylab = "coordinates of the prediction")
    return(invisible(x))
  }
  places <- rev(seq_len(nrow(effects)))
  drawn(graphics::dotchart, list(...), rev(effects$change), pch = 19, xlab = "change",
        labels = rev(paste0(effects$term, "\n", effects$from, " to ", effects$to)),
        xlim = range(0, effects$change, effects$low, effects$high, na.rm = TRUE))
  graphics::segments(effects$low, places, effects$high, places)
  invisible(x)
}

# The expected error as the number of records grows.
plot.karcher_plan <- function(x, ...) {
  n <- unique(pmax(2, round(x$n * 10^seq(-1, 1, 0.25))))
  request <- x$request
  request$budget <- budget_of(x$budget)
  least <- function(found) {
    all <- as.data.frame.karcher_plan(found)
    error <- all$expected_distance[all$mechanism %in% found$best]
    if (length(error) == 1) error else NA_real_
  }
  count <- function(n) {
    if (is.null(request$fields$n_guess)) return(c(request, list(n = n)))
    request$fields$n_guess <- n
    request
  }
  error <- vapply(n, function(n) {
    tryCatch(least(structure(call_rust("plan", count(n)), class = "karcher_plan")),
             karcher_error = function(refused) NA_real_)
  }, 0)
  drawn(graphics::plot, list(...), n, error, type = "b", log = "xy", xlab = "number of records",
        ylab = "expected error", main = x$text)
  graphics::abline(v = x$n, lty = 2)
  invisible(data.frame(n = n, error = error))
}
