import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { pairCounts } from '../../../core/evidence/pair-state.ts'
import type { Verdict } from '../../../contract/evidence/verdict.ts'
import { isRuleBased } from '../../../contract/manifests/model-backends.ts'
import { roleWords } from '../../../core/role-words.ts'
import { artifactNameOf, metricsIn } from '../../../contract/metrics/metrics.ts'
import { capital, listWords, lowerFirst, testedPairsWords } from '../../../contract/words.ts'
import { comparedMetric, pairAgainst, type ComparedName } from '../aggregate/aggregate-access.ts'
import { isThin, rungFigure } from './leaderboard.ts'
import { hasRuleJudges, primaryMetric, unrankedReason } from '../aggregate/metric-use.ts'
import { intervalWords, nameWords, valueWords } from '../words.ts'

/** The metrics of the findings: every approach can have them. */
const REPORTED = metricsIn('findings').map(artifactNameOf)

/** Sentences on the metrics of the findings that do not decide about the run, such as the judges' grades; empty when nothing was compared. */
function exploratoryFindings(aggregate: Aggregate): string[] {
  const primary = primaryMetric([aggregate])
  return REPORTED.filter((name) => name !== primary && unrankedReason([aggregate], name) === null).flatMap(
    (name) => findingOf(aggregate, name) ?? [],
  )
}

/** A dataset run in a few sentences: its verdict, then what else was found. */
export const findings = (aggregate: Aggregate, verdict: Verdict): string[] => [
  ...verdict.sentences,
  ...exploratoryFindings(aggregate),
]

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
  const value = `${valueWords(name, top)} ${intervalWords(name, leader.interval)}`.trimEnd()
  const names = listWords(leaders.map(({ model }) => model))
  const isLevel = leaders.length === figures.length && leaders.length > 1
  const highest = isLevel
    ? `all approaches have the same ${nameWords(name)}, ${value}`
    : `highest on ${nameWords(name)} (exploratory) ${leaders.length === 1 ? 'is' : 'are'} ${names}, ${value}`
  const better =
    beaten.length === 0
      ? ''
      : `better than ${beaten.length === others.length ? 'every other approach' : listWords(beaten.map(({ model }) => model))}; `
  return `${capital(highest)}; ${better}${lowerFirst(testedPairsWords(pairCounts(compared), compared.settings.level))}.`
}

/**
 * The caution before any figure: what built-in rules did in place of models, in the approaches or as judges, and no more than that. Null when every
 * model is real, or none is recorded.
 */
export function modelCaution(aggregates: readonly Aggregate[]): string | null {
  const roles = aggregates.flatMap(({ reproducibility }) =>
    Object.entries(reproducibility?.runtime.models?.roles ?? {}),
  )
  const ruled = new Set(roles.flatMap(([role, { backend }]) => (isRuleBased(backend) ? [role] : [])))
  const judging = hasRuleJudges(aggregates) ? ['judge'] : []
  if (ruled.size > 0 && roles.every(([, { backend }]) => isRuleBased(backend))) {
    const so = judging.length === 0 ? '' : '; so are the judges'
    return `Every model of this run is a built-in rule, not a language model${so}. The figures are baselines: they describe the pipelines with these rules, not an approach with a language model.`
  }
  const work = [...ruled, ...judging].map(roleWords)
  return work.length === 0 ? null : `In this run a built-in rule, not a model, ${listWords(work)}.`
}
