import type { JudgeTask, LetterVerdict } from '../../../core/judging/judge-task.ts'
import { type Opinion, percent, refusesHonestly, verdictOf } from './grading.ts'
import { termsOf, weights } from './words.ts'

/** Raised whenever a verdict may come out differently. */
export const LEXICAL_SUPPORT_VERSION = 1

/** Share of the weight of `wanted` that `held` has; null when nothing is wanted. */
function share(
  wanted: ReadonlyMap<string, number>,
  held: ReadonlySet<string> | ReadonlyMap<string, number>,
): number | null {
  let all = 0
  let found = 0
  for (const [stem, weight] of wanted) {
    all += weight
    if (held.has(stem)) found += weight
  }
  return all === 0 ? null : found / all
}

/**
 * Grades by shared words alone. With a reference: how much of what it adds to the question the answer repeats (words of the question itself do
 * not count, so that repeating it earns nothing), how much of the answer is about reference or question, and how much appears
 * somewhere in the evidence. Without one: how much of the question is taken up, times how much of what the answer adds to it the evidence
 * supports. Where the documents hold no answer, exactly a refusal is right. Blind to word order, paraphrase and negation.
 */
export function judgeLexicalSupport(task: JudgeTask): LetterVerdict {
  const question = weights(termsOf(task.question))
  const beyondQuestion = (terms: ReadonlyMap<string, number>): Map<string, number> =>
    new Map([...terms].filter(([stem]) => !question.has(stem)))
  const reference = task.reference === null ? null : weights(termsOf(task.reference))
  const about = new Set([...question.keys(), ...(reference?.keys() ?? [])])
  const evidence = new Set([...about, ...task.evidence.flatMap((text) => termsOf(text).map(({ stem }) => stem))])

  function opinion(text: string): Opinion {
    if (!task.answerable)
      return refusesHonestly(text)
        ? { merit: 1, reason: 'refuses to answer, which is right' }
        : { merit: 0.1, reason: 'answers what the documents do not hold' }
    const answer = weights(termsOf(text))
    if (reference === null) {
      const taken = refusesHonestly(text) ? 0 : (share(question, answer) ?? 0)
      const supported = share(beyondQuestion(answer), evidence) ?? 0
      return {
        merit: taken * supported,
        reason: `takes up ${percent(taken)} of the question; ${percent(supported)} of what it adds is supported`,
      }
    }
    const covered = share(beyondQuestion(reference), answer) ?? share(reference, answer) ?? 0
    const focused = share(answer, about) ?? 0
    const supported = share(answer, evidence) ?? 0
    // A statement beside the point cannot earn anything by being supported.
    const merit = covered * (0.75 + 0.15 * Math.min(1, focused / 0.5) + 0.1 * supported)
    return {
      merit,
      reason: `says ${percent(covered)} of the reference; ${percent(focused)} is to the point, ${percent(supported)} supported`,
    }
  }
  return verdictOf(task, opinion)
}
