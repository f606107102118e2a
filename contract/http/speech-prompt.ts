/** Longest `prompt` of a transcription: a text on what is talked about, such as the documents that a question is asked of. */
export const MAX_PROMPT_CHARACTERS = 250_000

/** One prompt of a dataset's texts. Where they are too long together, each gives its beginning, in the same share. */
export function speechPrompt(texts: readonly string[]): string {
  const gap = '\n\n'
  const share = Math.floor(MAX_PROMPT_CHARACTERS / Math.max(1, texts.length)) - gap.length
  const whole = texts.join(gap)
  if (whole.length <= MAX_PROMPT_CHARACTERS) return whole
  return texts
    .map((text) => text.slice(0, Math.max(0, share)))
    .join(gap)
    .slice(0, MAX_PROMPT_CHARACTERS)
}
