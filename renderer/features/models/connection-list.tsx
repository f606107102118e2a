import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { connectionKind } from '../../../contract/manifests/model-connections.ts'
import type { ConnectionView } from '../../../contract/control/models.ts'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { ErrorPanel, Panel } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import styles from './models.module.css'
import { MODELS_WORDS } from './models-words.ts'
import { TestResult } from './test-result.tsx'
import { useModelsChange } from './use-models.ts'

const WORDS = MODELS_WORDS.connections

/** All connections; each can be tested, a person's own removed. */
export function ConnectionList({ connections }: { connections: readonly ConnectionView[] }) {
  const test = useMutation(api.models.test.mutationOptions())
  const target = test.variables?.target
  const tested = target !== undefined && 'name' in target ? target.name : ''
  const remove = useMutation(
    api.models.remove.mutationOptions({
      ...useModelsChange(),
      onSuccess: (_view, { name }) => notifyDone(WORDS.removed(name)),
      onError: (error) => notifyFailure(WORDS.removing, error),
    }),
  )
  return (
    <Panel title={WORDS.title}>
      <div className={table.scroll} tabIndex={0} role="region" aria-label={WORDS.title}>
        <table className={table.table}>
          <thead>
            <tr>
              <th>{WORDS.name}</th>
              <th>{WORDS.kind}</th>
              <th>{WORDS.address}</th>
              <th>{WORDS.key}</th>
              <th>{WORDS.where}</th>
              <th>{WORDS.actions}</th>
            </tr>
          </thead>
          <tbody>
            {connections.map(({ name, kind, address, key_env: key, key_set: isSet, cloud, own }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{connectionKind(kind).label}</td>
                <td className={table.wrap}>{address}</td>
                <td>{key === null ? WORDS.noKey : isSet ? key : WORDS.unset(key)}</td>
                <td>{cloud ? MODELS_WORDS.sets.cloud : MODELS_WORDS.sets.near}</td>
                <td>
                  <div className={styles.row}>
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={WORDS.testOf(name)}
                      loading={test.isPending && tested === name}
                      disabled={test.isPending}
                      onClick={() => test.mutate({ target: { name } })}
                    >
                      {WORDS.test}
                    </Button>
                    {own && (
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={WORDS.removeOf(name)}
                        onClick={() => remove.mutate({ name, part: 'connection' })}
                      >
                        {WORDS.remove}
                      </Button>
                    )}
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {test.isError && <ErrorPanel error={test.error} what={MODELS_WORDS.test.theTest} />}
      {test.data !== undefined && <TestResult name={tested} result={test.data} />}
    </Panel>
  )
}
