import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { bytes, moment } from '../../components/format.ts'
import { Panel } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import { RUNS_WORDS } from './runs-words.ts'
import { useRestoreRun } from './use-runs.ts'

const WORDS = RUNS_WORDS.trash

/** Removed runs, each with its way back; nothing while there is none. */
export function RunTrash() {
  const { data = [] } = useQuery(api.runs.trash.queryOptions())
  const restore = useRestoreRun()
  if (data.length === 0) return null
  return (
    <Panel title={WORDS.title}>
      <div className={table.scroll} tabIndex={0} role="region" aria-label={WORDS.title}>
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">{WORDS.run}</th>
              <th scope="col">{WORDS.removedAt}</th>
              <th scope="col">{WORDS.size}</th>
              <th scope="col">
                <span className="hidden-text">{WORDS.restore}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ trash_id: id, run_id: run, removed_at: at, files, size_bytes: size }) => (
              <tr key={id}>
                <th scope="row" className={table.wrap}>
                  {run}
                </th>
                <td>{moment(at)}</td>
                <td>{WORDS.files(files, bytes(size))}</td>
                <td>
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={WORDS.restoreOf(run)}
                    onClick={() => restore.mutate({ trash_id: id })}
                  >
                    {WORDS.restore}
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}
