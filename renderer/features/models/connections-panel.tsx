import { ActionIcon, Button, Menu } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { connectionKind, type ConnectionKind } from '../../../contract/manifests/model-connections.ts'
import type { ConnectionView, FoundModels, ModelTest } from '../../../contract/control/models.ts'
import { COMPONENT_WORDS } from '../../components/component-words.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { bytes } from '../../components/format.ts'
import { Icon } from '../../components/icon.tsx'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { ScrollTable } from '../../components/scroll-table.tsx'
import { StateDot } from '../../components/state-dot.tsx'
import { ErrorPanel, Panel } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { num, TableHead } from '../../components/table-head.tsx'
import { api } from '../../data/client.ts'
import { addressWords, connectionState, keyWords } from './connection-state.ts'
import { EnterKey, RemoveKey } from './connection-key.tsx'
import styles from './models.module.css'
import { MODELS_WORDS } from './models-words.ts'
import type { Choice } from './set-draft.ts'
import { TestResult } from './test-result.tsx'
import { useModelsChange } from './use-models.ts'

const WORDS = MODELS_WORDS.connections

interface ConnectionsPanelProps {
  connections: readonly ConnectionView[]
  onConnect: (kind: ConnectionKind) => void
  onFile: (path: string) => void
  onEdit: (connection: ConnectionView) => void
  /** A model of a connection to make a set of. */
  onChoose: (model: Choice) => void
}

/** What is connected, in which state, with one button for what to do next; below it what was found on this machine. */
export function ConnectionsPanel({ connections, onConnect, onFile, onEdit, onChoose }: ConnectionsPanelProps) {
  const [asked, setAsked] = useState<{ what: 'key' | 'noKey' | 'remove'; name: string } | null>(null)
  const [tests, setTests] = useState<Readonly<Record<string, ModelTest>>>({})
  const found = useQuery(api.models.found.queryOptions()).data
  const services = found?.services ?? []
  const [testing, setTesting] = useState('')
  const test = useMutation(api.models.test.mutationOptions())
  const runTest = (name: string): void => {
    setTesting(name)
    test.mutate({ target: { name } }, { onSuccess: (result) => setTests({ ...tests, [name]: result }) })
  }
  const remove = useMutation(
    api.models.remove.mutationOptions({
      ...useModelsChange(),
      onSuccess: (_view, { name }) => {
        setAsked(null)
        notifyDone(WORDS.removed(name))
      },
      onError: (error) => notifyFailure(WORDS.removing, error),
    }),
  )
  const subject = connections.find(({ name }) => name === asked?.name)
  const close = (): void => setAsked(null)
  return (
    <Panel
      title={WORDS.title}
      aside={
        <Button leftSection={<Icon name="plus" />} onClick={() => onConnect('compatible')}>
          {MODELS_WORDS.connect.title}
        </Button>
      }
    >
      <ScrollTable label={WORDS.title} className={styles.connections}>
        <TableHead columns={[WORDS.name, WORDS.state, WORDS.address, WORDS.where, num(WORDS.actions)]} />
        <tbody>
          {connections.map((connection) => {
            const { name, kind, address, cloud, own, key, key_set: hasKey } = connection
            const { tone, words, next } = connectionState(connection, tests[name], services)
            const shown = addressWords(address)
            const service = services.find((each) => each.kind === kind)
            return (
              <tr key={name}>
                <th scope="row">
                  {name}
                  <div className={styles.context}>{connectionKind(kind).label}</div>
                </th>
                <td>
                  <StateDot tone={tone} /> {words}
                  {keyWords(connection) !== null && <div className="dim">{keyWords(connection)}</div>}
                </td>
                <td className={table.wrap}>
                  {shown.address}
                  {shown.variables.length > 0 && <div className="dim">{WORDS.unlessSet(shown.variables)}</div>}
                </td>
                <td className={table.whole}>{COMPONENT_WORDS.where(cloud)}</td>
                <td>
                  <div className={styles.row}>
                    {next === 'key' && (
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={MODELS_WORDS.keys.storeOf(name)}
                        onClick={() => setAsked({ what: 'key', name })}
                      >
                        {MODELS_WORDS.keys.store}
                      </Button>
                    )}
                    {next === 'models' && (
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={WORDS.chooseOf(name)}
                        onClick={() => onChoose({ source: `connection:${name}`, model: service?.models[0] ?? '' })}
                      >
                        {WORDS.choose}
                      </Button>
                    )}
                    {next === 'test' && (
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={WORDS.testOf(name)}
                        loading={test.isPending && testing === name}
                        disabled={test.isPending}
                        onClick={() => runTest(name)}
                      >
                        {WORDS.test}
                      </Button>
                    )}
                    <Menu position="bottom-end">
                      <Menu.Target>
                        <ActionIcon variant="default" aria-label={WORDS.moreOf(name)}>
                          <Icon name="more" />
                        </ActionIcon>
                      </Menu.Target>
                      <Menu.Dropdown>
                        {next !== 'test' && <Menu.Item onClick={() => runTest(name)}>{WORDS.test}</Menu.Item>}
                        <Menu.Item onClick={() => onEdit(connection)}>{WORDS.edit}</Menu.Item>
                        {next !== 'key' && (
                          <Menu.Item onClick={() => setAsked({ what: 'key', name })}>
                            {key === 'stored' && hasKey ? MODELS_WORDS.keys.replace : MODELS_WORDS.keys.store}
                          </Menu.Item>
                        )}
                        {key === 'stored' && (
                          <Menu.Item onClick={() => setAsked({ what: 'noKey', name })}>
                            {MODELS_WORDS.keys.remove}
                          </Menu.Item>
                        )}
                        {own && (
                          <Menu.Item onClick={() => setAsked({ what: 'remove', name })}>{WORDS.remove}</Menu.Item>
                        )}
                      </Menu.Dropdown>
                    </Menu>
                  </div>
                </td>
              </tr>
            )
          })}
        </tbody>
      </ScrollTable>
      {found !== undefined && <FoundHere found={found} {...{ connections, onConnect, onFile }} />}
      {test.isError && <ErrorPanel error={test.error} what={MODELS_WORDS.test.theTest} />}
      {test.data !== undefined && <TestResult name={testing} result={test.data} />}
      {subject !== undefined && asked?.what === 'key' && <EnterKey connection={subject} onClose={close} />}
      {subject !== undefined && asked?.what === 'noKey' && <RemoveKey connection={subject} onClose={close} />}
      {subject !== undefined && asked?.what === 'remove' && (
        <ConfirmDialog
          opened
          title={WORDS.question(subject.name)}
          confirm={MODELS_WORDS.keys.removeButton}
          keep={WORDS.keep}
          loading={remove.isPending}
          onClose={close}
          onConfirm={() => remove.mutate({ name: subject.name, part: 'connection' })}
        >
          <p>{WORDS.consequence}</p>
          {subject.key === 'stored' && <p>{WORDS.withKey}</p>}
        </ConfirmDialog>
      )}
    </Panel>
  )
}

const FOUND = MODELS_WORDS.found

const fileName = (path: string): string => path.replace(/^.*[\\/]/, '')

interface FoundHereProps extends Pick<ConnectionsPanelProps, 'connections' | 'onConnect' | 'onFile'> {
  found: FoundModels
}

/** Services that listen on their usual port and are not connected yet, and model files in the usual folders; nothing where there are none. */
function FoundHere({
  found: { services, files, memory_bytes: memory },
  connections,
  onConnect,
  onFile,
}: FoundHereProps) {
  const others = services.filter(({ kind }) => !connections.some((each) => each.kind === kind))
  if (others.length === 0 && files.length === 0) return null
  return (
    <>
      <h3>{FOUND.title}</h3>
      <ul className={styles.found} aria-label={FOUND.title}>
        {others.map(({ kind, address, models }) => (
          <li key={kind}>
            {FOUND.service(connectionKind(kind).label, address, models.length)}
            <Button
              size="xs"
              variant="default"
              aria-label={FOUND.connectOf(connectionKind(kind).label)}
              onClick={() => onConnect(kind)}
            >
              {FOUND.connect}
            </Button>
          </li>
        ))}
        {files.map(({ path, size_bytes: size }) => (
          <li key={path} title={path}>
            {FOUND.file(fileName(path), bytes(size), bytes(memory))}
            {size > memory ? (
              <span className={styles.bad}>▲ {FOUND.tooLarge}</span>
            ) : (
              <Button
                size="xs"
                variant="default"
                aria-label={FOUND.chooseFile(fileName(path))}
                onClick={() => onFile(path)}
              >
                {FOUND.choose}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}
