import type { Aggregate, ComparedMetric, VarianceComponent, VarianceComponents } from '../../contract/index.ts'
import { comparedMetric, type ComparedName } from './comparison-access.ts'

/** How much of the variance of a metric lies between repeated answers to one question, by alias; the rest lies between questions. */
export interface GenerationScatter {
  name: ComparedName
  shares: ReadonlyMap<string, VarianceComponent | null>
}

/** The metrics of a run with repetitions for which that can be told; none without repetitions. */
export function generationScatter({ comparisons }: Aggregate): GenerationScatter[] {
  const isRepeated = ({ metric_class, variance }: ComparedMetric): boolean =>
    metric_class !== 'judge_panel' && (variance ?? []).some(({ components }) => components.generation !== null)
  return (comparisons?.metrics ?? []).filter(isRepeated).map(({ metric, variance }) => ({
    name: metric as ComparedName,
    shares: new Map(variance!.map(({ model, components }) => [model, components.generation])),
  }))
}

/** The parts of the variance of grades that judges can be told apart in, in the order of tables. */
export const JUDGE_PARTS = [
  ['question', 'questions'],
  ['judge_severity', 'judges in general'],
  ['judge_question', 'judges about a question'],
  ['residual', 'what is left'],
] as const satisfies (readonly [keyof VarianceComponents, string])[]

/** Where the variance of the judges' grades comes from, by alias; empty for fewer than two judges. */
export const judgeScatter = (aggregate: Aggregate): { model: string; components: VarianceComponents }[] =>
  (comparedMetric(aggregate, 'score')?.variance ?? []).filter(({ components }) => components.question !== null)

/** `64 %`; `0 %*` where the estimate came out negative; a dash where the design cannot tell. */
export const shareWords = (part: VarianceComponent | null | undefined): string =>
  part === null || part === undefined ? '–' : `${Math.round(part.share * 100)} %${part.clipped ? '*' : ''}`
