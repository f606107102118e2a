import type { RowEvidence } from '../../../contract/evidence/canonical-row.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { FigureList } from '../../components/figure-list.tsx'
import { duration, meanWords } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import table from '../../components/table.module.css'
import { type DataColumn, DataTable } from '../../components/tables.tsx'
import { CELL_WORDS as WORDS } from './cell-words.ts'

type Metadata = NonNullable<RowEvidence['approach_metadata']>
type Value = Metadata[string]
type Part = Record<string, Value>

const isPart = (value: Value | undefined): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isList = (value: Value | undefined): value is Part[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => isPart(item))

const nameWords = (name: string): string => name.replaceAll('_', ' ')

/** A value in one line: the members of an object by their names. */
function valueWords(value: Value | undefined): string {
  if (value === undefined || value === null) return '–'
  if (typeof value === 'number') return meanWords(value, 2)
  if (Array.isArray(value)) return value.map(valueWords).join(', ') || '–'
  if (!isPart(value)) return String(value)
  return Object.entries(value)
    .map(([name, member]) => `${nameWords(name)} ${valueWords(member)}`)
    .join(' · ')
}

const cellWords = (name: string, value: Value | undefined): string =>
  name === 'seconds' && typeof value === 'number' ? duration(value * 1000) : valueWords(value)

const figureOf = (name: string, value: Value) =>
  name === 'approach' && typeof value === 'string' ? (
    <ApproachName alias={value} />
  ) : (
    <MarkedText text={valueWords(value)} />
  )

/** Shows what an approach reports of its way to the answer: figures by their names, and lists of steps as tables. */
export function MetadataView({ metadata }: { metadata: Metadata }) {
  const entries = Object.entries(metadata)
  const figures = entries.filter(([, value]) => !isPart(value) && !isList(value))
  return (
    <>
      {entries.map(([name, value]) =>
        isPart(value) ? (
          <Figures key={name} title={name} entries={Object.entries(value)} />
        ) : isList(value) ? (
          <Steps key={name} title={name} steps={value} />
        ) : null,
      )}
      <Figures title={WORDS.alsoReported} entries={figures} />
    </>
  )
}

function Figures({ title, entries }: { title: string; entries: readonly [string, Value][] }) {
  if (entries.length === 0) return null
  return (
    <section>
      <h3>{nameWords(title)}</h3>
      <FigureList
        className="figures"
        figures={entries.map(([name, value]) => [nameWords(name), figureOf(name, value)])}
      />
    </section>
  )
}

function Steps({ title, steps }: { title: string; steps: readonly Part[] }) {
  const names = [...new Set(steps.flatMap((step) => Object.keys(step)))]
  return (
    <section>
      <h3>{nameWords(title)}</h3>
      <DataTable
        label={nameWords(title)}
        rows={steps.map((step, at) => ({ step, at }))}
        keyOf={({ at }) => at}
        columns={names.map((name): DataColumn<{ step: Part }> => [
          nameWords(name),
          ({ step }) => <MarkedText text={cellWords(name, step[name])} />,
          table.wrap,
        ])}
      />
    </section>
  )
}
