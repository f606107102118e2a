import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { Derivation } from '../../../contract/evidence/derivation.ts'
import { FactTable } from '../../components/tables.tsx'
import { CELL_WORDS as WORDS } from './cell-words.ts'

function flat(value: unknown, path: string): [string, string][] {
  if (value === null) return [[path, '–']]
  if (typeof value !== 'object') return [[path, typeof value === 'string' ? value : JSON.stringify(value)]]
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return [[path, value.join(', ') || '–']]
  return Object.entries(value).flatMap(([key, item]) => flat(item, path === '' ? key : `${path}.${key}`))
}

/** Records of the answer and of what it was read from, by artefact; a second one of the same kind is numbered. */
function madeBy(derivations: readonly Derivation[]): Record<string, Derivation> {
  const named = derivations.map((made, at): [string, Derivation] => {
    const before = derivations.slice(0, at).filter(({ artefact }) => artefact === made.artefact).length
    return [before === 0 ? made.artefact : `${made.artefact} ${before + 1}`, made]
  })
  return Object.fromEntries(named)
}

/** The conditions that a row was made under, its prompts included, one line per field. */
export function ProvenanceTable({ row }: { row: CanonicalRow }) {
  const lines = flat(
    {
      row_id: row.row_id,
      derived_from: row.derived_from ?? null,
      approach: row.approach,
      derivations: madeBy(row.evidence?.derivations ?? []),
      ...row.reproducibility,
    },
    '',
  )
  return <FactTable facts={lines} />
}

const SHOWN_CHARACTERS = 400_000

/** A value as indented JSON text, at most 400,000 characters of it. */
export function RawJson({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 2)
  return (
    <pre className="plain" tabIndex={0} aria-label={WORDS.json}>
      {text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}\n${WORDS.cutHere}` : text}
    </pre>
  )
}
