import { Tooltip } from '@mantine/core'
import type { CoverageAlias } from '../../contract/control/cells.ts'
import type { Refusal } from '../../contract/evidence/answer-scores.ts'
import { count, plural } from './format.ts'
import styles from './refusal-chip.module.css'

const WORDS = {
  refused: '⊘ Refused',
  unknown: '⊘ Refusal unknown',
  byModel: 'The evaluator’s language model decided that this answer refuses.',
  byRule: 'Rules decided that this answer refuses: it states that it cannot answer, and claims nothing else.',
  unknownByRule: 'Rules could not decide whether this answer refuses: they read English only.',
  unknownByModel: 'The evaluator’s language model did not decide whether this answer refuses.',
  unknownCount: (unknown: string) => `, ${unknown} unknown`,
  decidedBy: (byModel: number, byRules: number) =>
    `Decided for ${plural(byModel, 'answer')} by the evaluator’s language model and for ${plural(byRules, 'answer')} by rules.`,
  noScoreChanges: 'A refusal is shown beside the scores and changes none of them.',
} as const

type RefusalCounts = NonNullable<CoverageAlias['refusals']>

function Chip({ label, explanation }: { label: string; explanation: string }) {
  return (
    <Tooltip label={explanation} multiline w={300} events={{ hover: true, focus: true, touch: true }}>
      <span className={styles.chip} tabIndex={0} aria-description={explanation}>
        {label}
      </span>
    </Tooltip>
  )
}

/** The state of one answer that refuses, or of which it is unknown, with how it was decided; nothing for an answer that answers. */
export function RefusalChip({ refusal }: { refusal: Refusal | undefined }) {
  if (refusal === undefined || refusal.refused === false) return null
  const byModel = refusal.decided_by === 'model'
  const [label, how] = refusal.refused
    ? [WORDS.refused, byModel ? WORDS.byModel : WORDS.byRule]
    : [WORDS.unknown, byModel ? WORDS.unknownByModel : WORDS.unknownByRule]
  return <Chip label={label} explanation={`${how} ${WORDS.noScoreChanges}`} />
}

/** Shows how many answers of an approach refuse, also where none does; nothing where no row records it. */
export function RefusalCount({ refusals }: { refusals: RefusalCounts | null }) {
  if (refusals === null) return null
  const { refused, answered, unknown, decided_by_model: byModel } = refusals
  const all = refused + answered + unknown
  const label = `${WORDS.refused} ${count(refused)}/${count(all)}${unknown > 0 ? WORDS.unknownCount(count(unknown)) : ''}`
  const how = WORDS.decidedBy(byModel, all - byModel)
  return <Chip label={label} explanation={`${how} ${WORDS.noScoreChanges}`} />
}
