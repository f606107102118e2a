import { artifactNameOf, isRuleBased, metricsIn, type Aggregate, type Verdict } from '../../contract/index.ts'
import { countWords, plural } from '../../contract/words.ts'
import { comparedMetric, pairAgainst, type ComparedName } from './aggregate-access.ts'
import { isThin, rungFigure } from './leaderboard.ts'
import { primaryMetric } from './metric-use.ts'
import { intervalWords, nameWords, valueWords } from './words.ts'

/** The metrics of the findings: every approach can have them. */
const REPORTED = metricsIn('findings').map(artifactNameOf)

/** Sentences on the metrics of the findings that do not decide about the run, such as the judges' grades; empty when nothing was compared. */
function exploratoryFindings(aggregate: Aggregate): string[] {
  const primary = primaryMetric([aggregate])
  return REPORTED.filter((name) => name !== primary).flatMap((name) => findingOf(aggregate, name) ?? [])
}

/** A dataset run in a few sentences: its verdict, then what else was found. */
export const findings = (aggregate: Aggregate, verdict: Verdict): string[] => [
  ...verdict.sentences,
  ...exploratoryFindings(aggregate),
]

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function findingOf(aggregate: Aggregate, name: ComparedName): string | null {
  const compared = comparedMetric(aggregate, name)
  if (compared === null || compared.decided.comparable === 0) return null
  const figures = aggregate.approaches.flatMap(({ model }) => {
    const figure = rungFigure(aggregate, name, model)
    return figure === null || isThin(aggregate, name, figure) ? [] : [{ model, ...figure }]
  })
  const top = Math.max(...figures.map(({ mean }) => mean))
  const leaders = figures.filter(({ mean }) => mean === top)
  const [leader] = leaders
  if (leader === undefined) return null
  const others = figures.filter(({ model }) => model !== leader.model)
  const beaten = others.filter(({ model }) => pairAgainst(compared, leader.model, model)?.decision === 'better')
  const { decided, comparable } = compared.decided
  const value = `${valueWords(name, top)} ${intervalWords(name, leader.interval)}`.trimEnd()
  const names = listed(leaders.map(({ model }) => model))
  const isLevel = leaders.length === figures.length && leaders.length > 1
  const highest = isLevel
    ? `all approaches have the same ${nameWords(name)}, ${value}`
    : `highest on ${nameWords(name)} (exploratory) ${leaders.length === 1 ? 'is' : 'are'} ${names}, ${value}`
  const share = `${countWords(decided)} of ${plural(comparable, 'pair')} ${comparable === 1 ? 'is' : 'are'} decided`
  const decision =
    decided === 0
      ? comparable === 1
        ? 'the one pair is not decided'
        : `none of the ${countWords(comparable)} pairs is decided`
      : beaten.length === 0
        ? `${share}, none of them for ${names}`
        : beaten.length === others.length
          ? `decidedly better than every other approach; ${share}`
          : `decidedly better than ${listed(beaten.map(({ model }) => model))}; ${share}`
  return `${sentence(highest)}; ${decision}.`
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`

/**
 * The caution before any figure: built-in rules were used instead of language models, in the approaches or as judges. Null when every model is
 * real, or none is recorded.
 */
export function modelCaution(aggregates: readonly Aggregate[]): string | null {
  const roles = aggregates.flatMap(({ reproducibility }) =>
    Object.entries(reproducibility?.runtime.models?.roles ?? {}),
  )
  const ruled = [...new Set(roles.flatMap(([role, { backend }]) => (isRuleBased(backend) ? [role] : [])))].sort()
  const judges = aggregates.flatMap(({ judge_panel }) => ('judges' in judge_panel ? judge_panel.judges : []))
  const ruledJudges = judges.filter((judge) => judge.startsWith('builtin-'))
  const parts: string[] = []
  if (ruled.length > 0)
    parts.push(
      roles.every(([, { backend }]) => isRuleBased(backend))
        ? 'Every model of this run is a built-in rule, not a language model'
        : `Built-in rules, not language models, are used for ${listed(ruled)}`,
    )
  if (ruledJudges.length > 0)
    parts.push(parts.length === 0 ? 'The judges are built-in rules, not language models' : 'so are the judges')
  if (parts.length === 0) return null
  return `${parts.join('; ')}. The figures are baselines: they describe the pipelines with these rules, not an approach with a language model.`
}
