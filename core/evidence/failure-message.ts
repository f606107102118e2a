/** A failure without a remedy that it repeats: the model's error and the run each name one for the same role. */
export const withoutRepeatedRemedy = (message: string): string =>
  message.replace(/\. Choose another model for (\w+)(?=[.;][^]*choose another model for \1\b)/g, '')

/** Approaches that cannot answer, together where the reason is the same. */
export function unavailableByReason(
  unavailable: readonly { model: string; reason: string }[],
): { models: string[]; reason: string }[] {
  return [...Map.groupBy(unavailable, ({ reason }) => reason)].map(([reason, group]) => ({
    models: group.map(({ model }) => model),
    reason,
  }))
}

/** The text in at most this many characters: cut after a sentence where one ends in its second half, else after a word. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text
  const head = text.slice(0, chars - 1)
  const sentence = head.search(/[.;](?=\s)(?![^]*[.;]\s)/)
  if (sentence >= chars / 2) return `${head.slice(0, sentence + 1)} …`
  return `${head.replace(/\s+\S*$/, '')}…`
}
