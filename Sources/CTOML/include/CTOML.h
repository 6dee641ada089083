#ifndef NIGHTJAR_CTOML_H
#define NIGHTJAR_CTOML_H

#include <stddef.h>
#include <stdint.h>

// A TOML document, read by toml++ (https://marzer.github.io/tomlplusplus), as a flat list of its values: each
// table and array is followed by what is in it. Every value knows where it stands in the text.

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
  // In UTF-8; not there for an element of an array and for the document itself.
  const char *_Nullable key;
  size_t keyBytes;
  // Where the key stands, or, without one, the value. From 1.
  uint32_t line;
  uint32_t column;
  // Of a table or an array: how many values are in it, not counting what is in those.
  size_t count;
  // Of a string, in UTF-8.
  const char *_Nullable text;
  size_t textBytes;
  // Of an integer; of a boolean 0 or 1.
  int64_t integer;
  // Of a float.
  double number;
} NJTOMLItem;

typedef struct NJTOMLDocument NJTOMLDocument;

// Reads a document. Whoever asks frees it, whether it is one or not.
NJTOMLDocument *_Nonnull nj_toml_parse(const char *_Nullable text, size_t bytes);
void nj_toml_free(NJTOMLDocument *_Nonnull document);

// What is wrong with it, and where; NULL if nothing is.
const char *_Nullable nj_toml_error(
    const NJTOMLDocument *_Nonnull document, uint32_t *_Nonnull line, uint32_t *_Nonnull column);

// The document's own table first. Valid until it is freed.
const NJTOMLItem *_Nullable nj_toml_items(
    const NJTOMLDocument *_Nonnull document, size_t *_Nonnull count);

#ifdef __cplusplus
}
#endif

#endif
