# Runs the code of pages, all blocks of one in one session: Rscript tools/run_pages.R PAGE...
grDevices::pdf(NULL)
for (page in commandArgs(TRUE)) {
  lines <- readLines(page, encoding = "UTF-8")
  fences <- grep("^```", lines)
  begins <- fences[grepl("^```(r$|\\{r)", lines[fences])]
  ends <- vapply(begins, function(begin) min(fences[fences > begin]), 0L)
  code <- unlist(Map(function(begin, end) lines[seq_len(end - begin - 1) + begin], begins, ends))
  if (length(code) == 0) stop(page, " has no code in R")
  utils::capture.output(eval(parse(text = code), new.env()))
  message(page, ": ", length(begins), " blocks ran")
}
