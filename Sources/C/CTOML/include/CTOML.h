#ifndef NIGHTJAR_CTOML_H
#define NIGHTJAR_CTOML_H

#include <stddef.h>
#include <stdint.h>

// A TOML document, parsed by toml++ (https://marzer.github.io/tomlplusplus), as a flat list of its
// values: the contents of each table and array follow it. Every value has its place in the text.

#ifdef __cplusplus
extern "C" {
#endif

typedef enum __attribute__((enum_extensibility(closed))) {
  NJTOMLTable,
  NJTOMLArray,
  NJTOMLString,
  NJTOMLInteger,
  NJTOMLFloat,
  NJTOMLBoolean,
  // A date, a time, or both.
  NJTOMLDate,
} NJTOMLKind;

typedef struct {
  NJTOMLKind kind;
  // In UTF-8; NULL for an element of an array and for the document itself.
  const char *_Nullable key;
  size_t keyBytes;
  // The place of the key or, without a key, of the value. From 1.
  uint32_t line;
  uint32_t column;
  // For a table or an array: the number of values directly in it.
  size_t count;
  // For a string, in UTF-8.
  const char *_Nullable text;
  size_t textBytes;
  // For an integer; for a boolean 0 or 1.
  int64_t integer;
  // For a float.
  double number;
} NJTOMLItem;

typedef struct NJTOMLDocument NJTOMLDocument;

// Parses a document. The caller frees the result, even if it is an error.
NJTOMLDocument *_Nonnull nj_toml_parse(const char *_Nullable text, size_t bytes);
void nj_toml_free(NJTOMLDocument *_Nonnull document);

// The error and its place; NULL if there is none.
const char *_Nullable nj_toml_error(
    const NJTOMLDocument *_Nonnull document, uint32_t *_Nonnull line, uint32_t *_Nonnull column);

// The values, beginning with the document's own table. Valid until the document is freed.
const NJTOMLItem *_Nullable nj_toml_items(
    const NJTOMLDocument *_Nonnull document, size_t *_Nonnull count);

#ifdef __cplusplus
}
#endif

#endif
