import { inversionWords, measuredLevelWords, slopeWords } from '../../../core/measured-level-words.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { scoreWords } from '../../../contract/words.ts'

interface Measured extends Pick<Aggregate, 'measured_level'> {
  dataset: Pick<Aggregate['dataset'], 'label' | 'complexity_level'>
}

/** The declared level beside the measured one; null for results of before. */
export const levelWords = ({
  dataset,
  measured_level: level,
}: {
  dataset: Pick<Measured['dataset'], 'complexity_level'>
  measured_level?: Measured['measured_level']
}): string | null =>
  level === undefined ? null : `declared level ${dataset.complexity_level}; ${measuredLevelWords(level)}`

/** Levels that measure less relational than the one before them. */
export const levelInversions = (aggregates: readonly Measured[]): string[] =>
  inversionWords(aggregates.map(({ dataset, measured_level }) => ({ ...dataset, measured_level })))

/** Both as sentences, each dataset named. */
export const levelSentences = (aggregates: readonly Measured[]): string[] =>
  [
    ...aggregates.flatMap((aggregate) => {
      const words = levelWords(aggregate)
      return words === null ? [] : [`${aggregate.dataset.label}: ${words}`]
    }),
    ...levelInversions(aggregates),
  ].map((text) => `${text}.`)

export const LEVEL_HEADS = ['declared', 'dataset', 'recall@5 of BM25', 'change with each hop', 'questions']

/** A row per dataset with its declared and its measured level, for reports of several; empty where none was measured. */
export function levelRows(aggregates: readonly Measured[]): string[][] {
  const measured = aggregates.filter(({ measured_level: level }) => level !== undefined)
  return measured.map(({ dataset, measured_level }) => {
    const level = measured_level!
    return [
      String(dataset.complexity_level),
      dataset.label,
      level.recall === null ? '–' : scoreWords(level.recall),
      slopeWords(level) ?? measuredLevelWords(level).replace('measured level: ', ''),
      String(level.questions),
    ]
  })
}

/** States how the table of levels is read. */
export const LEVEL_NOTE =
  'The declared level is its author’s. Measured is how recall@5 of BM25, which compares words alone, changes with each further passage that an answer combines: the more it falls, the more relational a dataset is. It is measured on documents and questions without a run; 95 % intervals respect questions that share documents.'
