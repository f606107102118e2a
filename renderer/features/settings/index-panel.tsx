import { Button, Progress } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { SettingsView } from '../../../contract/control/settings.ts'
import { FigureList } from '../../components/figure-list.tsx'
import { bytes, count } from '../../components/format.ts'
import { notifyDone } from '../../components/notify.ts'
import { ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import { UnreadableFiles } from '../../components/unreadable-files.tsx'
import { api } from '../../data/client.ts'
import styles from './settings.module.css'
import { SETTINGS_WORDS } from './settings-words.ts'

const WORDS = SETTINGS_WORDS.indexPanel

const FOLDERS: Record<keyof SettingsView['folders'], string> = {
  project: WORDS.project,
  results: WORDS.results,
  published: WORDS.publishedResults,
  state: WORDS.theEnginesOwn,
}
const WHILE_REBUILDING_MS = 500

/** The mirror of the artifacts: its size, whether it is right, and how to rebuild it. */
export function IndexPanel({ folders }: { folders: SettingsView['folders'] }) {
  const rebuild = useMutation(
    api.index.rebuild.mutationOptions({
      onSuccess: ({ cells }) => notifyDone(WORDS.indexRebuiltCells(count(cells))),
      meta: { failed: WORDS.rebuilding },
    }),
  )
  const status = useQuery({
    ...api.index.status.queryOptions(),
    refetchInterval: rebuild.isPending ? WHILE_REBUILDING_MS : false,
  })
  const verify = useMutation(api.index.verify.mutationOptions({ meta: { failed: WORDS.verifying } }))
  const whole = useQuery(api.system.status.queryOptions()).data?.index
  const isRebuilding = rebuild.isPending || whole?.state === 'rebuilding'
  return (
    <Panel title={WORDS.dataAndIndex}>
      {status.isError && !isRebuilding && (
        <ErrorPanel error={status.error} what={WORDS.theIndex} retry={() => void status.refetch()} />
      )}
      {status.isPending && <LoadingRows rows={2} />}
      {status.data !== undefined && (
        <p>{WORDS.indexAbout(count(status.data.runs), count(status.data.cells), bytes(status.data.size_bytes))}</p>
      )}
      <UnreadableFiles />
      {whole?.state === 'failed' && <p role="alert">{WORDS.theIndexFailed(whole.message ?? WORDS.noReason)}</p>}
      <FigureList
        className={styles.folders}
        figures={Object.entries(folders).map(([name, path]) => [
          FOLDERS[name as keyof typeof folders],
          <code key={name}>{path}</code>,
        ])}
      />
      {isRebuilding && (
        <div className={styles.progress} role="status">
          <Progress value={100} animated striped aria-label={WORDS.rebuildingTheIndex} />
          <span>{WORDS.rebuildingCells(count(status.data?.cells ?? 0), count(status.data?.runs ?? 0))}</span>
        </div>
      )}
      <div className={styles.actions}>
        <Button loading={verify.isPending} onClick={() => verify.mutate(undefined)}>
          {WORDS.verifyIndex}
        </Button>
        <Button disabled={isRebuilding} onClick={() => rebuild.mutate(undefined)}>
          {WORDS.rebuildIndex}
        </Button>
        {verify.data !== undefined && (
          <span role="status">
            {WORDS.rowsInFiles(
              verify.data.ok ? WORDS.right : WORDS.problems(count(verify.data.problem_count)),
              count(verify.data.rows),
              count(verify.data.files),
              bytes(verify.data.bytes),
            )}
          </span>
        )}
      </div>
      {verify.data !== undefined && verify.data.problems.length > 0 && (
        <ul className={styles.list}>
          {verify.data.problems.map(({ path, code, message }, index) => (
            <li key={index}>
              <code>{path ?? WORDS.wholeIndex}</code> {code.replaceAll('_', ' ')}: {message}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
