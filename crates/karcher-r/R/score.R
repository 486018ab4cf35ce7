private_score <- function(model, x, y, metric = "accuracy", labels = NULL, range = NULL, epsilon = NULL, delta = NULL,
                          mu = NULL, rho = NULL, predict = stats::predict, groups = NULL, adjacency = "replace-one",
                          n_guess = NULL, ledger = NULL, random_state = NULL) {
  if (is.null(metric)) refuse("metric is missing: give its name, such as \"accuracy\"")
  one_of("metric", metric, c("accuracy", "balanced-accuracy", "confusion", "r2"))
  if (!is.null(range) && !(is.numeric(range) && length(range) == 2)) {
    refuse("range is the lower and the upper end of the numbers: range = c(0, 100)")
  }
  known <- if (!is.null(labels)) keys_of(labels)
  if (anyNA(known)) refuse("labels has a missing entry (NA): give the public list of labels")
  n <- if (length(dim(x)) == 3) dim(x)[3] else NROW(x)
  if (length(y) != n) refuse("y has the label or number of each record: its length is another")
  ends <- if (!is.null(range)) list(low = range[1], high = range[2])
  score <- drop_null(list(metric = metric, labels = if (!is.null(known)) as.list(known), range = ends))
  given <- list(score = score, epsilon = epsilon, delta = delta, mu = mu, rho = rho, adjacency = adjacency,
                n_guess = n_guess, groups = groups, ledger = ledger, random_state = random_state)
  call_rust("specification", request_of("score", c(given, if (!is.null(groups)) list(unit = "person"))))
  # from here on nothing is refused that depends on a record
  predicted <- predictions_of(model, x, n, predict)
  found <- release("score", shares_of(score, y, predicted), given, "karcher_score")
  if (metric == "confusion") {
    names <- list(actual = known, predicted = known)
    found$confusion <- matrix(unlist(found$noisy_counts), length(known), byrow = TRUE, dimnames = names)
  }
  found
}

as.data.frame.karcher_score <- function(x, row.names = NULL, optional = FALSE, ...) {
  interval <- unlist(x$score_interval)
  data.frame(score = x$score, low = interval[1], high = interval[2], row.names = row.names)
}

# The prediction of each record, NA where there is none. Each is by itself: in a batch, an error or the last bits could
# depend on other records. What the model says is not shown.
predictions_of <- function(model, x, n, predict) {
  one <- function(i) {
    record <- if (length(dim(x)) == 3) x[, , i, drop = FALSE] else if (is.null(dim(x))) x[i] else x[i, , drop = FALSE]
    found <- tryCatch(suppressMessages(suppressWarnings(predict(model, record))), error = function(error) NA)
    if (is.factor(found)) found <- as.character(found)
    if (is.atomic(found) && length(found) == 1) found[[1]] else NA
  }
  lapply(seq_len(n), one)
}

# A row of shares of each record: what a score sums.
shares_of <- function(score, actual, predicted) {
  if (score$metric == "r2") return(squares_of(score$range, numbers_or_na(as.list(actual)), numbers_or_na(predicted)))
  actual <- keys_of(actual)
  predicted <- vapply(predicted, keys_of, "")
  labels <- unlist(score$labels %||% unique(c(actual, predicted)))
  k <- length(labels)
  at <- match(actual, labels, incomparables = NA)
  found <- match(predicted, labels, incomparables = NA)
  right <- !is.na(at) & !is.na(found) & at == found
  if (score$metric == "accuracy") return(matrix(as.double(right), ncol = 1))
  is_balanced <- score$metric == "balanced-accuracy"
  cell <- if (is_balanced) 2 * at - right else k * (at - 1) + found
  rows <- matrix(0, length(actual), if (is_balanced) 2 * k else k^2)
  is_in <- !is.na(cell)
  rows[cbind(which(is_in), cell[is_in])] <- 1
  rows
}

# (e^2, v^2, 2v(1 - v)) in the length of the range. Where there is no number, the error is 1.
squares_of <- function(range, actual, predicted) {
  place <- function(x) pmin(pmax((x - range$low) / (range$high - range$low), 0), 1)
  error <- (place(predicted) - place(actual))^2
  v <- replace(place(actual), is.na(actual), 0.5)
  cbind(replace(error, is.na(error), 1), v^2, 2 * v * (1 - v), deparse.level = 0)
}

numbers_or_na <- function(entries) {
  number <- function(one) if (is.numeric(one) || is.logical(one)) as.double(one) else NA_real_
  vapply(entries, number, 0)
}
