import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { connectionKind } from '../../../contract/manifests/model-connections.ts'
import type { ConnectionView } from '../../../contract/control/models.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { ErrorPanel, Panel } from '../../components/states.tsx'
import { ScrollTable } from '../../components/scroll-table.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import { ConnectionKey } from './connection-key.tsx'
import styles from './models.module.css'
import { COMPONENT_WORDS } from '../../components/component-words.ts'
import { MODELS_WORDS } from './models-words.ts'
import { TestResult } from './test-result.tsx'
import { useModelsChange } from './use-models.ts'

const WORDS = MODELS_WORDS.connections

interface ConnectionListProps {
  connections: readonly ConnectionView[]
  onEdit: (connection: ConnectionView) => void
}

/** All connections; each can be tested and get a key, a person's own be edited and removed. */
export function ConnectionList({ connections, onEdit }: ConnectionListProps) {
  const [removing, setRemoving] = useState<ConnectionView | null>(null)
  const test = useMutation(api.models.test.mutationOptions())
  const target = test.variables?.target
  const tested = target !== undefined && 'name' in target ? (target.name ?? '') : ''
  const remove = useMutation(
    api.models.remove.mutationOptions({
      ...useModelsChange(),
      onSuccess: (_view, { name }) => {
        setRemoving(null)
        notifyDone(WORDS.removed(name))
      },
      onError: (error) => notifyFailure(WORDS.removing, error),
    }),
  )
  return (
    <Panel title={WORDS.title}>
      <ScrollTable label={WORDS.title}>
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
          {connections.map((connection) => {
            const { name, kind, address, cloud, own } = connection
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{connectionKind(kind).label}</td>
                <td className={table.wrap}>{address}</td>
                <td>
                  <ConnectionKey connection={connection} />
                </td>
                <td>{COMPONENT_WORDS.where(cloud)}</td>
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
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={WORDS.editOf(name)}
                      onClick={() => onEdit(connection)}
                    >
                      {WORDS.edit}
                    </Button>
                    {own && (
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={WORDS.removeOf(name)}
                        onClick={() => setRemoving(connection)}
                      >
                        {WORDS.remove}
                      </Button>
                    )}
                  </div>
                </td>
              </tr>
            )
          })}
        </tbody>
      </ScrollTable>
      {test.isError && <ErrorPanel error={test.error} what={MODELS_WORDS.test.theTest} />}
      {test.data !== undefined && <TestResult name={tested} result={test.data} />}
      {removing !== null && (
        <ConfirmDialog
          opened
          title={WORDS.question(removing.name)}
          confirm={WORDS.remove}
          keep={WORDS.keep}
          loading={remove.isPending}
          onClose={() => setRemoving(null)}
          onConfirm={() => remove.mutate({ name: removing.name, part: 'connection' })}
        >
          <p>{WORDS.consequence}</p>
          {removing.key === 'stored' && <p>{WORDS.withKey}</p>}
        </ConfirmDialog>
      )}
    </Panel>
  )
}
