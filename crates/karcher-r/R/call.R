# The compiled half: a call runs in its own threads, and R polls for its result. So R receives interrupts, and no R code
# runs in those threads.

call_rust <- function(action, request, records = NULL, predictors = NULL, keys = NULL) {
  job <- .Call(wrap__job_start, action, drop_null(request), records, predictors, keys)
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

# A spinner during a long call. It shows only the time, because progress could depend on the records.
progress <- function(bar, elapsed) {
  if (!isTRUE(getOption("karcher.progress", interactive())) || elapsed < 1) return(bar)
  if (is.null(bar)) bar <- utils::txtProgressBar(max = 10, style = 1, file = stderr())
  utils::setTxtProgressBar(bar, floor(elapsed) %% 10)
  bar
}

# Persons and levels in one form for equal keys: 1, 1.0, "1" and TRUE are equal, and so are both ways to write an
# accent. NA for missing values.
keys_of <- function(value) {
  if (inherits(value, "POSIXt")) value <- format(value, "%Y-%m-%dT%H:%M:%OS6", tz = "UTC")
  if (is.numeric(value) && !is.factor(value)) value <- texts_of(value)
  texts <- enc2utf8(as.character(value))
  each <- unique(texts[!is.na(texts)])
  keys <- .Call(wrap__keys, each)
  replace(keys, keys == "", NA)[match(texts, each)]
}

# Numbers without an exponent, each formatted by itself.
texts_of <- function(value) {
  each <- unique(value[!is.na(value)])
  vapply(each, format, "", digits = 15, scientific = FALSE, trim = TRUE)[match(value, each)]
}

refuse <- function(sentence, class = "karcher_refusal") {
  stop(structure(list(message = sentence, call = NULL), class = c(class, "karcher_error", "error", "condition")))
}

no_manifold <- function() refuse("manifold is missing: give the name of the space, such as \"sphere:2\"")

drop_null <- function(given) given[!vapply(given, is.null, NA)]

# The one notation of a budget.
budget_of <- function(given) drop_null(as.list(given)[c("epsilon", "delta", "mu", "rho")])

# One row per record: the numbers row by row, the length of a row, and the number of rows. Also the names of the
# columns, or the axes of an array, which may contradict the layout.
rows_of <- function(x, columns = NULL, name = "x") {
  if (is.list(x) && !is.data.frame(x) && all(vapply(x, is.matrix, NA))) x <- simplify2array(x)
  if (length(dim(x)) == 1) x <- as.vector(x)
  all <- colnames(x)
  if (is.data.frame(x) || !is.null(columns)) x <- chosen(x, columns, name)
  if (!is.numeric(x) && !is.complex(x)) {
    refuse(sprintf("%s holds no numbers: give a matrix, an array or a data frame of numbers", name))
  }
  dims <- dim(x)
  if (length(dims) > 3) {
    refuse(sprintf("%s has %d axes: expected a matrix, or an array of K x M x n", name, length(dims)))
  }
  each <- if (is.complex(x)) 2 else 1
  if (length(dims) == 3) {
    return(list(values = doubles(aperm(x, c(2, 1, 3))), width = each * prod(dims[1:2]), n = dims[3],
                axes = c(dims[1:2], if (each == 2) 2)))
  }
  if (is.null(dims)) x <- matrix(x, ncol = 1)
  list(values = doubles(t(x)), width = each * ncol(x), n = nrow(x), names = if (each == 1) colnames(x), all = all)
}

# The number of records, without reading them.
records_in <- function(x) {
  dims <- dim(x)
  if (is.null(dims)) length(x) else if (length(dims) == 3) dims[3] else dims[1]
}

# The columns of a table, by names, positions or truth values; by default all numeric columns of a data frame.
chosen <- function(x, columns, name) {
  if (length(dim(x)) != 2) refuse(sprintf("columns belongs to a matrix or a data frame, which %s is not", name))
  if (is.null(columns)) columns <- vapply(x, is.numeric, NA)
  places <- if (is.character(columns)) match(columns, colnames(x)) else seq_len(ncol(x))[columns]
  if (anyNA(places)) refuse(sprintf("%s has no column %s", name, columns[is.na(places)][1]))
  if (is.data.frame(x)) as.matrix(x[places]) else x[, places, drop = FALSE]
}

# Complex numbers as pairs.
doubles <- function(x) if (is.complex(x)) as.double(rbind(Re(c(x)), Im(c(x)))) else as.double(x)

# Numbers row by row in R's form: a vector, a matrix, or with n an array whose last index is the record.
shaped <- function(values, shape, n = NULL) {
  values <- unlist(values)
  if (length(shape) < 2) return(if (is.null(n)) values else matrix(values, nrow = n, byrow = TRUE))
  if (length(shape) == 3) {  # complex numbers are pairs
    pairs <- matrix(values, nrow = 2)
    values <- complex(real = pairs[1, ], imaginary = pairs[2, ])
    shape <- shape[1:2]
  }
  if (prod(shape) * max(n, 1) != length(values)) return(values)
  found <- aperm(array(values, c(rev(shape), n)), c(2:1, if (!is.null(n)) 3L))
  if (is.null(n)) matrix(found, shape[1], shape[2]) else found
}
