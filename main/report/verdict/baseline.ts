// The keyword baseline in a verdict: an approach earns its cost only where a test finds it better than plain keyword search.
import { KEYWORD_BASELINE } from '../../../contract/approaches.ts'
import { countWords, listWords } from '../../../contract/words.ts'
import { valueWords } from '../words.ts'
import { aheadWords } from './amounts.ts'
import type { Facts } from './facts.ts'
import { namesIn, type Outcome } from './outcome.ts'

const DEFINITION = `${KEYWORD_BASELINE}, the keyword baseline,`

/**
 * The outcome with what the tests against the baseline showed, where it ran beside other approaches. Where it is in the top, the headline says that no approach
 * is shown to beat it: the others cost more.
 */
export function withBaseline(facts: Facts, outcome: Outcome): { outcome: Outcome; notes: string[] } {
  const { standings, state, name } = facts
  const baseline = standings.find(({ model }) => model === KEYWORD_BASELINE)
  const others = standings.map(({ model }) => model).filter((model) => model !== KEYWORD_BASELINE)
  const isTested = others.some((model) => state(model, KEYWORD_BASELINE) !== 'not_tested')
  if (baseline === undefined || !isTested) return { outcome, notes: [] }
  const better = others.filter((model) => state(model, KEYWORD_BASELINE) === 'better')
  const worse = others.filter((model) => state(model, KEYWORD_BASELINE) === 'worse')
  const figure = `${DEFINITION} has ${valueWords(name, baseline.mean)}`
  if (better.length === 0) {
    const beaten = worse.length === 0 ? '' : ` It is better than ${namesIn(worse)}.`
    const isTop = outcome.top.includes(KEYWORD_BASELINE) && (outcome.kind === 'winner' || outcome.kind === 'tied')
    return {
      outcome: isTop
        ? {
            ...outcome,
            headline: `No approach is shown to beat ${DEFINITION.slice(0, -1)}`,
            why: `${outcome.headline}. ${outcome.why}`,
          }
        : outcome,
      notes: [
        isTop
          ? `${KEYWORD_BASELINE} has ${valueWords(name, baseline.mean)}.${beaten}`
          : `No approach is shown to be better than ${figure.replace(/, has/, ', which has')}.${beaten}`,
      ],
    }
  }
  const rest = others.length - better.length - worse.length
  const [first, ...more] = better
  return {
    outcome,
    notes: [
      [
        `${figure}: ${first!} ${aheadWords(facts, first!, KEYWORD_BASELINE)}`,
        ...(more.length === 0 ? [] : [`${listWords(more)} ${more.length === 1 ? 'is' : 'are'} better too`]),
        ...(worse.length === 0 ? [] : [`${namesIn(worse)} ${worse.length === 1 ? 'is' : 'are'} worse`]),
        ...(rest === 0
          ? []
          : [`${rest === 1 ? '1 other is' : `${countWords(rest)} others are`} not shown to be better`]),
      ].join('; ') + '.',
    ],
  }
}
