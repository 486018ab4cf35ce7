# The compiled half: a call is started in threads of its own, and R asks for its result. So R hears interrupts, and no
# code of R runs in those threads.

call_rust <- function(action, request, records = NULL, predictors = NULL, persons = NULL) {
  job <- .Call(wrap__job_start, action, drop_null(request), records, predictors, persons)
  found <- if (typeof(job) == "externalptr") NULL else job
  begin <- proc.time()[["elapsed"]]
  bar <- NULL
  on.exit({
    if (!is.null(bar)) close(bar)
    if (is.null(found)) .Call(wrap__job_interrupt, job)
  })
  while (is.null(found)) {
    found <- .Call(wrap__job_poll, job, 50L)
    Sys.sleep(0)  # which ends here after an interrupt
    bar <- progress(bar, proc.time()[["elapsed"]] - begin)
  }
  if (!is.null(found[["error"]])) refuse(found[["error"]], found[["class"]])
  found[["ok"]]
}

# A bar that turns while a call takes long. It shows the time alone: how far a call is could depend on the records.
progress <- function(bar, elapsed) {
  if (!isTRUE(getOption("karcher.progress", interactive())) || elapsed < 1) return(bar)
  if (is.null(bar)) bar <- utils::txtProgressBar(max = 10, style = 1, file = stderr())
  utils::setTxtProgressBar(bar, floor(elapsed) %% 10)
  bar
}

refuse <- function(sentence, class = "karcher_refusal") {
  stop(structure(list(message = sentence, call = NULL), class = c(class, "karcher_error", "error", "condition")))
}

drop_null <- function(given) given[!vapply(given, is.null, NA)]

# The one notation of a budget.
budget_of <- function(given) drop_null(as.list(given)[c("epsilon", "delta", "mu", "rho")])

# One row a record: the numbers row after row, how many a row has, and how many rows there are.
rows_of <- function(x, columns = NULL, name = "x") {
  if (is.data.frame(x)) {
    if (is.numeric(columns)) columns <- names(x)[columns]
    chosen <- if (is.null(columns)) names(x)[vapply(x, is.numeric, NA)] else columns
    missing <- setdiff(chosen, names(x))
    if (length(missing) > 0) refuse(sprintf("%s has no column %s", name, missing[1]))
    x <- as.matrix(x[chosen])
  } else if (!is.null(columns)) {
    x <- x[, columns, drop = FALSE]
  }
  if (!is.numeric(x)) refuse(sprintf("%s holds no numbers: give a matrix, an array or a data frame of numbers", name))
  dims <- dim(x)
  if (length(dims) > 3) {
    refuse(sprintf("%s has %d axes: expected a matrix, or an array of K x M x n", name, length(dims)))
  }
  if (length(dims) == 3) {
    return(list(values = as.double(aperm(x, c(2, 1, 3))), width = prod(dims[1:2]), n = dims[3]))
  }
  if (is.null(dims)) x <- matrix(x, ncol = 1)
  list(values = as.double(t(x)), width = ncol(x), n = nrow(x))
}

# Numbers row after row as R has them: a vector, a matrix, or with n an array whose last index is the record.
shaped <- function(values, shape, n = NULL) {
  values <- unlist(values)
  if (length(shape) < 2) return(if (is.null(n)) values else matrix(values, nrow = n, byrow = TRUE))
  if (prod(shape) * max(n, 1) != length(values)) return(values)  # complex numbers are pairs
  found <- aperm(array(values, c(rev(shape), n)), c(2:1, if (!is.null(n)) 3L))
  if (is.null(n)) matrix(found, shape[1], shape[2]) else found
}
