// A lead on questions that chose the settings of the leader is partly luck: the best of many settings on some questions is better there than elsewhere. Decision 227.
import type { TunedApproach } from '../../../contract/evidence/tuning.ts'
import { plural } from '../../../contract/words.ts'
import { shareOfTuned } from '../../statistics/planning/looks.ts'
import { editedNames } from '../tuning/edited-words.ts'
import type { Facts } from './facts.ts'
import { nextStep } from './next-step.ts'
import { MOST_WORDS, namesIn, wordsIn, type Outcome } from './outcome.ts'

const LEADS = ['winner', 'tied', 'unlike_text']
const ERROR = 5

/** The outcome with what the ledger of tunings says: a lead of an approach that was tuned on questions of the run is not believed, and openings of a holdout are named. */
export function withTuning({ aggregate, top }: Facts, outcome: Outcome): { outcome: Outcome; notes: string[] } {
  const { tuned = [], questions } = aggregate
  const edited = tuned.find((each) => each.edited !== undefined)?.edited ?? []
  const notes = [
    ...tuned.map((each) => noteOf(each, questions.length)),
    ...(edited.length === 0
      ? []
      : [
          `${plural(edited.length, 'question')} of this run ${edited.length === 1 ? 'is' : 'are'} not as the ledger of tunings has ${edited.length === 1 ? 'it' : 'them'}: ${editedNames(edited)}.${edited.some(({ change }) => change === 'replaced') ? ' Another question counts as neither tuned on nor held out.' : ''}`,
        ]),
  ]
  const seen = tuned.filter(({ development }) => development > 0).map(({ model }) => model)
  const leading = outcome.top.filter((model) => seen.includes(model))
  if (leading.length === 0 || !LEADS.includes(outcome.kind))
    return { outcome: outcome.kind === 'open' ? withoutTuned(outcome, top[0]!, seen) : outcome, notes }
  const isAll = leading.length === outcome.top.length
  const who = isAll ? '' : ` ${namesIn(leading, 2)}`
  const both = `${outcome.headline}, but${who} ${leading.length === 1 ? 'was' : 'were'} tuned on these questions`
  const short = `${namesIn(leading, 2)} ${leading.length === 1 ? 'was' : 'were'} tuned on these questions`
  return {
    outcome: {
      ...outcome,
      kind: 'tuned',
      headline: wordsIn(both) <= MOST_WORDS ? both : short,
      why: wordsIn(both) <= MOST_WORDS ? outcome.why : `${outcome.headline}. ${outcome.why}`,
      recommendation: `Take no approach by this lead: the settings of ${namesIn(leading)} were chosen by these scores.`,
      next: nextStep(
        aggregate,
        'new_run',
        `Compare ${namesIn(leading)} on another dataset, or on a questions file without those of the tuning.`,
      ),
    },
    notes,
  }
}

/** Where nothing leads, the approach is taken that is close enough to the highest mean: neither of the two may owe its mean to a tuning. */
function withoutTuned(outcome: Outcome, highest: string, seen: readonly string[]): Outcome {
  const tuned = [...new Set([highest, outcome.top[0]!])].filter((model) => seen.includes(model))
  if (tuned.length === 0) return outcome
  const recommendation = `Take no approach by these means: the settings of ${namesIn(tuned)} were chosen by these scores.`
  return { ...outcome, recommendation }
}

const timesWords = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`)

const STATES: Readonly<Record<string, string>> = {
  confirmed: 'its holdout confirmed them',
  worse: 'its holdout refuted them',
  open: 'its holdout did not confirm them',
  too_few: 'its holdout was too small for a test',
}

function noteOf(each: TunedApproach, questions: number): string {
  const { model, tuning, settings, development, holdout, openings, state } = each
  const of = `The settings of ${model} are the best of ${settings} that the tuning ${tuning} tried`
  const shown = state === null ? 'its holdout is still sealed' : (STATES[state] ?? state)
  const opened = openings === 0 ? '' : `, and was opened ${timesWords(openings)}`
  if (development > 0) return `${of} on ${development} of these ${plural(questions, 'question')}; ${shown}${opened}.`
  if (holdout === 0) return `${of} on other questions of this dataset; ${shown}${opened}.`
  const share = Number((ERROR * shareOfTuned([each])).toPrecision(2))
  const times = openings === 0 ? 'not opened before' : `opened ${timesWords(openings)} before`
  return `${of}; ${holdout === questions ? 'these questions are its holdout' : `${holdout} of these questions are of its holdout`}, ${times}: corrected, each pair is tested within ${share} %.`
}
