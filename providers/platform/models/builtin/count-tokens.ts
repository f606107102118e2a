const PIECE = /\p{L}+|\p{N}+|[^\s\p{L}\p{N}]/gu

/** How many letters a subword tokenizer takes at once, roughly. */
const LETTERS_PER_TOKEN = 6
const DIGITS_PER_TOKEN = 3

/** An estimate of a text's size in a language model's tokens, for usage figures: no tokenizer agrees with another. */
export function countTokens(text: string): number {
  let count = 0
  for (const [piece] of text.matchAll(PIECE)) {
    const perToken = /\p{L}/u.test(piece) ? LETTERS_PER_TOKEN : DIGITS_PER_TOKEN
    count += Math.ceil(piece.length / perToken)
  }
  return count
}
