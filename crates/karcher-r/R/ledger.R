ledger <- function(path, data = NULL, unit = "record", adjacency = "replace-one", epsilon = NULL, delta = NULL,
                   mu = NULL, rho = NULL) {
  request <- list(path = path.expand(path), data = data, unit = unit, adjacency = adjacency,
                  budget = budget_of(list(epsilon = epsilon, delta = delta, mu = mu, rho = rho)))
  structure(call_rust("ledger", request), class = "karcher_ledger")
}

format.karcher_ledger <- function(x, ...) {
  numbers <- function(of) format.karcher_budget(of[setdiff(names(of), "text")])
  left <- vapply(budget_of(x$left[setdiff(names(x$left), "text")]), format_down, "")
  left <- paste(names(left), "=", left, collapse = ", ")
  c(sprintf("%s: %s left of %s", x$data, left, numbers(x$total)),
    vapply(x$entries, function(one) {
      what <- paste(c(one$event$statistic, one$event$mechanism, one$event$manifold, one$event$release,
                      one$event$library), collapse = ", ")
      guarantee <- if (is.null(one$guarantee)) "" else numbers(one$guarantee)
      sprintf("%5.0f  %s  %-8s  %s  %s", one$entry, one$time, one$status, guarantee, what)
    }, ""), unlist(x$wrong))
}

# The fewest digits, seven or more, of a number that is not above it.
format_down <- function(number) {
  texts <- vapply(7:17, function(digits) format(number, digits = digits), "")
  texts[as.numeric(texts) <= number][1]
}

print.karcher_ledger <- function(x, ...) {
  cat(format(ledger(x$path)), sep = "\n")  # as it is now
  invisible(x)
}

as.data.frame.karcher_ledger <- function(x, row.names = NULL, optional = FALSE, ...) {
  rows <- lapply(ledger(x$path)$entries, function(one) {
    data.frame(entry = one$entry, time = one$time, status = one$status,
               guarantee = if (is.null(one$guarantee)) NA_character_ else format.karcher_budget(one$guarantee),
               statistic = one$event$statistic %||% one$event$release %||% NA_character_,
               mechanism = one$event$mechanism %||% NA_character_)
  })
  if (length(rows) > 0) do.call(rbind, rows) else data.frame()
}

report <- function(..., file, title = NULL, ledger = NULL, overwrite = FALSE) {
  releases <- list(...)
  if (!all(vapply(releases, inherits, NA, "karcher_release"))) refuse("a report is about releases: give one or more")
  names <- names(releases) %||% rep("", length(releases))
  names[names == ""] <- paste("release", seq_along(releases))[names == ""]
  if (anyDuplicated(names)) {
    refuse(sprintf("two releases are named %s: give each its own name", names[duplicated(names)][1]))
  }
  if (file.exists(file) && !overwrite) refuse(sprintf("%s exists: choose another name, or overwrite = TRUE", file))
  texts <- stats::setNames(lapply(releases, `[[`, "json"), names)
  path <- if (inherits(ledger, "karcher_ledger")) ledger$path else ledger
  if (!is.null(path)) path <- path.expand(path)
  page <- call_rust("report", list(releases = texts, title = title, ledger = path))
  writeLines(enc2utf8(page), file, useBytes = TRUE)
  invisible(file)
}
