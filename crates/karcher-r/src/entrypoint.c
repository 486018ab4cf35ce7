/* Rust has the functions; this object is what R's linker begins with. */
void R_init_karcher_extendr(void *dll);

void R_init_karcher(void *dll) {
    R_init_karcher_extendr(dll);
}
