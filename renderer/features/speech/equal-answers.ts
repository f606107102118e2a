import type { Asked } from './use-asking.ts'

/** By approach the first one that gave the same answer before it: that is read once. */
export function equalAnswers(answers: readonly Pick<Asked, 'alias' | 'answer'>[]): Map<string, string> {
  const firsts = new Map<string, string>()
  const equal = new Map<string, string>()
  for (const { alias, answer } of answers) {
    const text = answer?.text.trim() ?? ''
    if (text === '') continue
    const first = firsts.get(text)
    if (first === undefined) firsts.set(text, alias)
    else equal.set(alias, first)
  }
  return equal
}
