import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { ModelTask } from '../../contract/manifests/model-backends.ts'
import type { ModelRole } from '../../contract/manifests/models.ts'
import { MODELS_PARTS, type ModelsSearch } from '../app/search-params.ts'
import { Icon } from '../components/icon.tsx'
import { Loaded, Page } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { ConnectDialog } from '../features/models/connect-dialog.tsx'
import { draftOfConnection, draftOfKind, type ConnectionDraft } from '../features/models/connection-draft.ts'
import { ConnectionsPanel } from '../features/models/connections-panel.tsx'
import { ModelCataloguePanel } from '../features/models/model-catalogue.tsx'
import { MODELS_WORDS } from '../features/models/models-words.ts'
import { PriceTable } from '../features/models/price-table.tsx'
import { RolesPanel } from '../features/models/roles-panel.tsx'
import {
  draftOfSet,
  EMPTY_DRAFT,
  suggestedName,
  withChoice,
  type Choice,
  type SetDraft,
} from '../features/models/set-draft.ts'
import { SetEditor } from '../features/models/set-editor.tsx'

const WORDS = MODELS_WORDS.page

/** Shows connections, then which model does what; forms, downloads and prices open when they are asked for. */
export function ModelsPage() {
  const search = useSearch({ from: '/models' })
  const navigate = useNavigate({ from: '/models' })
  const show = (part: Partial<ModelsSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true })
  const models = useQuery(api.models.list.queryOptions())
  const { data } = models
  const [connection, setConnection] = useState<ConnectionDraft | null>(null)
  const connecting = connection ?? (search.connect === true ? draftOfKind('compatible') : null)
  const [draft, setDraft] = useState<SetDraft | null>(null)
  const editor = useRef<HTMLDivElement>(null)
  const isEditing = draft !== null
  const edited = draft?.edited?.name
  // The primary button has the focus: after a connection there is nothing left to fill in. A saved set is changed first.
  useEffect(() => {
    if (!isEditing) return
    editor.current?.scrollIntoView({ block: 'nearest' })
    editor.current?.querySelector<HTMLElement>(edited === undefined ? '[data-primary]' : 'input')?.focus()
  }, [isEditing, edited])
  const sets = data?.sets ?? []
  const named = (chosen: SetDraft, model: Choice): SetDraft => ({
    ...chosen,
    name: chosen.name.trim() === '' ? suggestedName(model, sets) : chosen.name,
  })
  const choose = (text: Choice, embedding: Choice | null): void =>
    setDraft(named({ ...EMPTY_DRAFT, text, ...(embedding === null ? {} : { embedding }) }, text))
  const use = (to: ModelTask | ModelRole, model: Choice): void => {
    const chosen = withChoice(draft ?? EMPTY_DRAFT, to, model)
    // A set is named after the model that writes its texts.
    setDraft(to === 'generation' ? named(chosen, model) : chosen)
  }
  return (
    <Page
      title={WORDS.models}
      aside={MODELS_PARTS.map((part) => (
        <Button
          key={part}
          leftSection={part === 'catalogue' ? <Icon name="download" /> : null}
          aria-expanded={search.show === part}
          onClick={() => show({ show: search.show === part ? undefined : part })}
        >
          {WORDS.parts[part]}
        </Button>
      ))}
    >
      <Loaded query={models} what={WORDS.theModels} rows={10} height={48} />
      {search.show === 'catalogue' && <ModelCataloguePanel onUse={use} />}
      {search.show === 'prices' && <PriceTable />}
      {data !== undefined && (
        <>
          <ConnectionsPanel
            connections={data.connections}
            onConnect={(kind) => setConnection(draftOfKind(kind))}
            onFile={(path) => setConnection({ ...draftOfKind('gguf'), path })}
            onEdit={(view) => setConnection(draftOfConnection(view))}
            onChoose={(model) => choose(model, null)}
          />
          {isEditing && (
            <div ref={editor}>
              <SetEditor
                view={data}
                draft={draft}
                onDraft={setDraft}
                onClose={(saved) => {
                  setDraft(null)
                  if (saved !== undefined) show({ set: saved })
                }}
              />
            </div>
          )}
          <RolesPanel
            sets={sets}
            shown={search.set}
            onShow={(set) => show({ set })}
            onNew={() => setDraft(draft === null || draft.edited !== null ? EMPTY_DRAFT : draft)}
            onEdit={(set) => setDraft(draftOfSet(set, sets))}
          />
          {connecting !== null && (
            <ConnectDialog
              start={connecting}
              connections={data.connections}
              onClose={() => {
                setConnection(null)
                if (search.connect === true) show({ connect: undefined })
              }}
              onConnected={choose}
            />
          )}
        </>
      )}
    </Page>
  )
}
