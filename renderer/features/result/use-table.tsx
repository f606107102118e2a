import { useQuery } from '@tanstack/react-query'
import { DataTable, num } from '../../components/tables.tsx'
import { Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { RESULT_WORDS } from './result-words.ts'

const WORDS = RESULT_WORDS.used

/** Shows what a run used of models, ingestion, grading and judging included; nothing for a run of rules. */
export function UseTables({ run }: { run: string }) {
  const used = useQuery(api.compare.result.queryOptions({ input: { run_id: run } })).data?.used ?? []
  return used.map(({ label, head, rows }) => (
    <Panel key={label} title={WORDS.title(label)}>
      <DataTable
        label={WORDS.title(label)}
        rows={rows}
        keyOf={([work]) => work!}
        columns={head.map((name, at) => [at === 0 ? name : num(name), (row: string[]) => row[at]!])}
      />
      <p className="dim">{WORDS.about}</p>
    </Panel>
  ))
}
