import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { connectionKind, type ConnectionKind } from '../../../contract/manifests/model-connections.ts'
import type { ConnectionView, FoundModels } from '../../../contract/control/models.ts'
import { COMPONENT_WORDS } from '../../components/component-words.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { bytes } from '../../components/format.ts'
import { Icon } from '../../components/icon.tsx'
import { MoreMenu } from '../../components/more-menu.tsx'
import { notifyDone } from '../../components/notify.ts'
import { RowButton } from '../../components/row-button.tsx'
import { StateDot } from '../../components/state-dot.tsx'
import { ErrorPanel, Panel } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { DataTable, unseen } from '../../components/tables.tsx'
import { api } from '../../data/client.ts'
import { useModelTests } from '../../stores/model-tests.ts'
import { addressWords, connectionState, keyWords } from './connection-state.ts'
import { EnterKey, RemoveKey } from './connection-key.tsx'
import styles from './models.module.css'
import { MODELS_WORDS } from './models-words.ts'
import type { Choice } from './set-draft.ts'
import { TestResult } from './test-result.tsx'
import { MODELS_CHANGE } from './use-models.ts'

const WORDS = MODELS_WORDS.connections

interface ConnectionsPanelProps {
  connections: readonly ConnectionView[]
  onConnect: (kind: ConnectionKind) => void
  onFile: (path: string) => void
  onEdit: (connection: ConnectionView) => void
  /** A model of a connection to make a set of. */
  onChoose: (model: Choice) => void
}

/** Lists connections with their state and one button for the next step; below it what was found on this machine. */
export function ConnectionsPanel({ connections, onConnect, onFile, onEdit, onChoose }: ConnectionsPanelProps) {
  const [asked, setAsked] = useState<{ what: 'key' | 'noKey' | 'remove'; name: string } | null>(null)
  const { tests, last, keep, forget } = useModelTests()
  const found = useQuery(api.models.found.queryOptions()).data
  const services = found?.services ?? []
  const [testing, setTesting] = useState('')
  const test = useMutation(api.models.test.mutationOptions())
  const runTest = (name: string): void => {
    setTesting(name)
    test.mutate({ target: { name } }, { onSuccess: (result) => keep(name, result) })
  }
  const remove = useMutation(
    api.models.remove.mutationOptions({
      onSuccess: (_view, { name }) => {
        setAsked(null)
        forget(name)
        notifyDone(WORDS.removed(name))
      },
      meta: { ...MODELS_CHANGE, failed: WORDS.removing },
    }),
  )
  const stateOf = (connection: ConnectionView) => connectionState(connection, tests[connection.name], services)
  const actionsOf = (connection: ConnectionView) => {
    const { name, kind, own, key, key_set: hasKey } = connection
    const { next } = stateOf(connection)
    const [model = ''] = services.find((each) => each.kind === kind)?.models ?? []
    const buttons = {
      key: (
        <RowButton
          label={MODELS_WORDS.keys.store}
          name={MODELS_WORDS.keys.storeOf(name)}
          onClick={() => setAsked({ what: 'key', name })}
        />
      ),
      models: (
        <RowButton
          label={WORDS.choose}
          name={WORDS.chooseOf(name)}
          onClick={() => onChoose({ source: `connection:${name}`, model })}
        />
      ),
      test: (
        <RowButton
          label={WORDS.test}
          of={name}
          loading={test.isPending && testing === name}
          disabled={test.isPending}
          onClick={() => runTest(name)}
        />
      ),
    }
    return (
      <>
        {buttons[next]}
        <MoreMenu
          name={WORDS.moreOf(name)}
          items={[
            next !== 'test' && [WORDS.test, () => runTest(name)],
            [WORDS.edit, () => onEdit(connection)],
            next !== 'key' && [
              key === 'stored' && hasKey ? MODELS_WORDS.keys.replace : MODELS_WORDS.keys.store,
              () => setAsked({ what: 'key', name }),
            ],
            key === 'stored' && [MODELS_WORDS.keys.remove, () => setAsked({ what: 'noKey', name })],
            own && [WORDS.remove, () => setAsked({ what: 'remove', name })],
          ]}
        />
      </>
    )
  }
  const subject = connections.find(({ name }) => name === asked?.name)
  const close = (): void => setAsked(null)
  const lastTest = last === null || test.isError ? undefined : tests[last]
  return (
    <Panel
      title={WORDS.title}
      aside={
        <Button variant="filled" leftSection={<Icon name="plus" />} onClick={() => onConnect('compatible')}>
          {MODELS_WORDS.connect.title}
        </Button>
      }
    >
      <DataTable
        stacks
        label={WORDS.title}
        className={styles.connections}
        rows={connections}
        keyOf={({ name }) => name}
        columns={[
          [
            WORDS.name,
            ({ name, kind }) => (
              <>
                {name}
                <div className="dim">{connectionKind(kind).label}</div>
              </>
            ),
          ],
          [WORDS.state, (connection) => <State connection={connection} state={stateOf(connection)} />],
          [WORDS.address, ({ address }) => <Address address={address} />, table.wrap],
          [WORDS.where, ({ cloud }) => COMPONENT_WORDS.where(cloud), table.whole],
          [unseen(WORDS.actions), (connection) => <div className="row">{actionsOf(connection)}</div>],
        ]}
      />
      {found !== undefined && <FoundHere found={found} {...{ connections, onConnect, onFile }} />}
      {test.isError && <ErrorPanel error={test.error} what={MODELS_WORDS.test.theTest} />}
      {lastTest !== undefined && last !== null && <TestResult name={last} result={lastTest} />}
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

function State({ connection, state }: { connection: ConnectionView; state: ReturnType<typeof connectionState> }) {
  const key = keyWords(connection)
  return (
    <>
      <StateDot tone={state.tone} /> {state.words}
      {key !== null && <div className="dim">{key}</div>}
    </>
  )
}

function Address({ address }: { address: string }) {
  const { address: usual, variables } = addressWords(address)
  return (
    <>
      {usual}
      {variables.length > 0 && <div className="dim">{WORDS.unlessSet(variables)}</div>}
    </>
  )
}

const FOUND = MODELS_WORDS.found

const fileName = (path: string): string => path.replace(/^.*[\\/]/, '')

interface FoundHereProps extends Pick<ConnectionsPanelProps, 'connections' | 'onConnect' | 'onFile'> {
  found: FoundModels
}

/** Services that listen on their usual port and are not connected yet, and model files in the usual folders; nothing where there are none. */
function FoundHere({ found, connections, onConnect, onFile }: FoundHereProps) {
  const { services, files, memory_bytes: memory } = found
  const others = services.filter(({ kind }) => !connections.some((each) => each.kind === kind))
  if (others.length === 0 && files.length === 0) return null
  return (
    <>
      <h3>{FOUND.title}</h3>
      <ul className={styles.found} aria-label={FOUND.title}>
        {others.map(({ kind, address, models }) => (
          <li key={kind}>
            {FOUND.service(connectionKind(kind).label, address, models.length)}
            <RowButton label={FOUND.connect} of={connectionKind(kind).label} onClick={() => onConnect(kind)} />
          </li>
        ))}
        {files.map(({ path, size_bytes: size }) => (
          <li key={path} title={path}>
            {FOUND.file(fileName(path), bytes(size), bytes(memory))}
            {size > memory ? (
              <span className="bad">▲ {FOUND.tooLarge}</span>
            ) : (
              <RowButton label={FOUND.choose} of={fileName(path)} onClick={() => onFile(path)} />
            )}
          </li>
        ))}
      </ul>
    </>
  )
}
