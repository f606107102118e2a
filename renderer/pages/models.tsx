import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Button } from '@mantine/core'
import type { ModelTask } from '../../contract/manifests/model-backends.ts'
import type { ModelRole } from '../../contract/manifests/models.ts'
import type { ConnectionView } from '../../contract/control/models.ts'
import { ErrorPanel, LoadingRows, Page, Panel } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { AddConnection, draftOfConnection, draftOfKind } from '../features/models/add-connection.tsx'
import { ConnectionList } from '../features/models/connection-list.tsx'
import { ModelCataloguePanel } from '../features/models/model-catalogue.tsx'
import { MODELS_WORDS } from '../features/models/models-words.ts'
import { PriceTable } from '../features/models/price-table.tsx'
import { EMPTY_DRAFT, suggestedName, withChoice, type Choice, type SetDraft } from '../features/models/set-draft.ts'
import { SetEditor } from '../features/models/set-editor.tsx'
import { SetList } from '../features/models/set-list.tsx'
import { connectionKind, type ConnectionKind } from '../../contract/manifests/model-connections.ts'
import { bytes } from '../components/format.ts'
import styles from '../features/models/models.module.css'

const WORDS = MODELS_WORDS.page

/** Connect a model, test it, choose models for the roles, and use the set in a run. */
export function ModelsPage() {
  const { data, isPending, isError, error, refetch } = useQuery(api.models.list.queryOptions())
  const [connection, setConnection] = useState(draftOfKind('ollama'))
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const form = useRef<HTMLDivElement>(null)
  const edit = (view: ConnectionView): void => {
    setConnection(draftOfConnection(view))
    form.current?.scrollIntoView()
  }
  const editor = useRef<HTMLDivElement>(null)
  const named = (chosen: SetDraft, model: Choice): SetDraft => ({
    ...chosen,
    name: chosen.name.trim() === '' ? suggestedName(model, data?.sets ?? []) : chosen.name,
  })
  const use = (to: ModelTask | ModelRole, model: Choice): void => {
    const chosen = withChoice(draft, to, model)
    // A set is named after the model that writes its texts.
    setDraft(to === 'generation' ? named(chosen, model) : chosen)
    editor.current?.scrollIntoView()
  }
  const choose = (text: Choice): void => setDraft(named({ ...draft, text }, text))
  return (
    <Page title={WORDS.models}>
      {isPending && <LoadingRows rows={10} height={48} />}
      {isError && <ErrorPanel error={error} what={WORDS.theModels} retry={() => void refetch()} />}
      {data !== undefined && (
        <>
          <FoundModelsPanel
            onConnect={(kind) => setConnection(draftOfKind(kind))}
            onFile={(path) => setConnection({ ...draftOfKind('gguf'), path })}
          />
          <div ref={form}>
            <AddConnection draft={connection} onDraft={setConnection} onChoose={choose} />
          </div>
          <ModelCataloguePanel onUse={use} />
          <div ref={editor}>
            <SetEditor view={data} draft={draft} onDraft={setDraft} />
          </div>
          <SetList sets={data.sets} />
          <PriceTable />
          <ConnectionList connections={data.connections} onEdit={edit} />
        </>
      )}
    </Page>
  )
}

const FOUND = MODELS_WORDS.found

const fileName = (path: string): string => path.replace(/^.*[\\/]/, '')

interface FoundModelsProps {
  onConnect: (kind: ConnectionKind) => void
  onFile: (path: string) => void
}

/** Services that listen on their usual port and model files in the usual folders; nothing where there are none. */
function FoundModelsPanel({ onConnect, onFile }: FoundModelsProps) {
  const { data } = useQuery(api.models.found.queryOptions())
  if (data === undefined || (data.services.length === 0 && data.files.length === 0)) return null
  const memory = data.memory_bytes
  return (
    <Panel title={FOUND.title}>
      <ul className={styles.found}>
        {data.services.map(({ kind, address, models }) => (
          <li key={kind}>
            {FOUND.service(connectionKind(kind).label, address, models.length)}
            <Button size="xs" variant="default" onClick={() => onConnect(kind)}>
              {FOUND.connect}
            </Button>
          </li>
        ))}
        {data.files.map(({ path, size_bytes: size }) => (
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
    </Panel>
  )
}
