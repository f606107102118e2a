import { Button, Progress } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { SettingsView } from '../../../contract/control/settings.ts'
import { bytes, count } from '../../components/format.ts'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import { UnreadableFiles } from '../../components/unreadable-files.tsx'
import { api } from '../../data/client.ts'
import styles from './settings.module.css'

const FOLDERS: Record<keyof SettingsView['folders'], string> = {
  project: 'Project',
  results: 'Results',
  published: 'Published results',
  state: 'The engine’s own',
}
const WHILE_REBUILDING_MS = 500

/** The mirror of the artifacts: its size, whether it is right, and how to rebuild it. */
export function IndexPanel({ folders }: { folders: SettingsView['folders'] }) {
  const rebuild = useMutation(
    api.index.rebuild.mutationOptions({
      onSuccess: ({ cells }) => notifyDone(`Index rebuilt: ${count(cells)} cells`),
      onError: (error) => notifyFailure('Rebuilding', error),
    }),
  )
  const status = useQuery({
    ...api.index.status.queryOptions(),
    refetchInterval: rebuild.isPending ? WHILE_REBUILDING_MS : false,
  })
  const verify = useMutation(
    api.index.verify.mutationOptions({ onError: (error) => notifyFailure('Verifying', error) }),
  )
  const whole = useQuery(api.system.status.queryOptions()).data?.index
  const isRebuilding = rebuild.isPending || whole?.state === 'rebuilding'
  return (
    <Panel title="Data and index">
      {status.isError && !isRebuilding && (
        <ErrorPanel error={status.error} what="The index" retry={() => void status.refetch()} />
      )}
      {status.isPending && <LoadingRows rows={2} />}
      {status.data !== undefined && (
        <p>
          {count(status.data.runs)} runs, {count(status.data.cells)} cells, {bytes(status.data.size_bytes)}. The index
          is rebuilt from the result files: deleting it is safe.
        </p>
      )}
      <UnreadableFiles />
      {whole?.state === 'failed' && <p role="alert">▲ The index failed: {whole.message ?? 'no reason was given'}</p>}
      <dl className={styles.folders}>
        {Object.entries(folders).map(([name, path]) => (
          <div key={name}>
            <dt>{FOLDERS[name as keyof typeof folders]}</dt>
            <dd>
              <code>{path}</code>
            </dd>
          </div>
        ))}
      </dl>
      {isRebuilding && (
        <div className={styles.progress} role="status">
          <Progress value={100} animated striped aria-label="Rebuilding the index" />
          <span>
            Rebuilding: {count(status.data?.cells ?? 0)} cells of {count(status.data?.runs ?? 0)} runs so far
          </span>
        </div>
      )}
      <div className={styles.actions}>
        <Button variant="default" loading={verify.isPending} onClick={() => verify.mutate(undefined)}>
          Verify index
        </Button>
        <Button variant="default" disabled={isRebuilding} onClick={() => rebuild.mutate(undefined)}>
          Rebuild index
        </Button>
        {verify.data !== undefined && (
          <span role="status">
            {verify.data.ok ? '● right' : `▲ ${count(verify.data.problem_count)} problems`}: {count(verify.data.rows)}{' '}
            rows in {count(verify.data.files)} files, {bytes(verify.data.bytes)}
          </span>
        )}
      </div>
      {verify.data !== undefined && verify.data.problems.length > 0 && (
        <ul className={styles.list}>
          {verify.data.problems.map(({ path, code, message }, index) => (
            <li key={index}>
              <code>{path ?? 'index'}</code> {code.replaceAll('_', ' ')}: {message}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
