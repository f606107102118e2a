import { Select } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { serviceDescriptor } from '../../../contract/control/service-list.ts'
import type { CatalogueEntry } from '../../../contract/control/models.ts'
import { ModelJob } from '../../../contract/manifests/model-catalogue.ts'
import { ModelRole, roleTask } from '../../../contract/manifests/models.ts'
import type { ModelTask } from '../../../contract/manifests/model-backends.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { bytes, count } from '../../components/format.ts'
import { ErrorPanel, Loaded, Panel } from '../../components/states.tsx'
import { RowButton } from '../../components/row-button.tsx'
import { ExperimentalMark } from '../../components/experimental-mark.tsx'
import { num, ScrollTable, TableHead } from '../../components/tables.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import { FetchButton } from './fetch-button.tsx'
import styles from './models.module.css'
import { MODELS_WORDS } from './models-words.ts'
import type { Choice } from './set-draft.ts'
import { roleWords } from '../../../core/role-words.ts'
import { TestResult } from './test-result.tsx'

const WORDS = MODELS_WORDS.catalogue
const MIB = 1024 * 1024

const sizeOf = ({ files }: CatalogueEntry): number => files.reduce((sum, { size_bytes: size }) => sum + size, 0)

/** The work in a model set that a job of the catalogue is for; null where a service beside the platform does it. */
function taskOf({ job, run_by: by }: CatalogueEntry): ModelTask | null {
  if (!('backend' in by)) return null
  return job === 'embedding' ? 'embedding' : job === 'reranker' ? 'rerank' : 'generation'
}

/** The model as a set names it: its file, or the name that its backend fetches it by. */
function choiceOf({ run_by: by, path }: CatalogueEntry): Choice | null {
  if (!('backend' in by)) return null
  const model = path ?? by.model
  return model === undefined ? null : { source: by.backend, model }
}

interface ModelCataloguePanelProps {
  /** Takes a model into the set that is being put together. */
  onUse: (use: ModelTask | ModelRole, choice: Choice) => void
}

/** Open models by job: what each needs, whether it fits this machine, and what can be done with it. */
export function ModelCataloguePanel({ onUse }: ModelCataloguePanelProps) {
  const catalogue = useQuery(api.models.catalogue.queryOptions())
  const memory = useQuery(api.models.found.queryOptions()).data?.memory_bytes
  const test = useMutation(api.models.test.mutationOptions())
  const [tested, setTested] = useState('')
  const [removing, setRemoving] = useState<string | null>(null)
  // Looked up again each time: which sets use it may change while the dialog is open.
  const removed = catalogue.data?.find(({ id }) => id === removing)
  return (
    <Panel title={WORDS.title}>
      <p className="dim">
        {WORDS.about} {memory === undefined ? '' : WORDS.memory(bytes(memory))}
      </p>
      <Loaded query={catalogue} what={WORDS.theCatalogue} rows={8} height={40}>
        {(data) => (
          <ScrollTable label={WORDS.title} stacks>
            <TableHead
              columns={[
                WORDS.model,
                num(WORDS.size),
                num(WORDS.needs),
                WORDS.fits,
                WORDS.languages,
                WORDS.license,
                WORDS.actions,
              ]}
            />
            {ModelJob.options.map((job) => (
              <tbody key={job}>
                <tr>
                  <th scope="rowgroup" colSpan={7} className={styles.job}>
                    {WORDS.jobs[job]}
                  </th>
                </tr>
                {data
                  .filter((entry) => entry.job === job)
                  .map((entry) => (
                    <EntryRow
                      key={entry.id}
                      entry={entry}
                      isTesting={test.isPending}
                      onUse={onUse}
                      onRemove={() => setRemoving(entry.id)}
                      onTest={() => {
                        setTested(entry.id)
                        test.mutate({ target: { file: entry.paths[0]! }, timeout_s: 300 })
                      }}
                    />
                  ))}
              </tbody>
            ))}
          </ScrollTable>
        )}
      </Loaded>
      {test.isPending && <p role="status">{WORDS.testing(tested)}</p>}
      {test.isError && <ErrorPanel error={test.error} what={MODELS_WORDS.test.theTest} />}
      {test.data !== undefined && <TestResult name={tested} result={test.data} />}
      {removed !== undefined && <RemoveFiles entry={removed} onClose={() => setRemoving(null)} />}
    </Panel>
  )
}

interface EntryRowProps {
  entry: CatalogueEntry
  isTesting: boolean
  onUse: ModelCataloguePanelProps['onUse']
  onRemove: () => void
  onTest: () => void
}

function EntryRow({ entry, ...actions }: EntryRowProps) {
  const { id, source_page: page, license, languages, context, memory_mib: memory, fits, files, experimental } = entry
  return (
    <tr>
      <th scope="row" className={table.wrap}>
        <a href={page} target="_blank" rel="noreferrer">
          {id}
        </a>
        {context !== null && <div className="dim">{WORDS.context(count(context))}</div>}
        {experimental && (
          <div className="dim">
            <ExperimentalMark />
          </div>
        )}
      </th>
      <td className={table.num} data-head={WORDS.size}>
        {files.length === 0 ? WORDS.unknown : bytes(sizeOf(entry))}
      </td>
      <td className={table.num} data-head={WORDS.needs}>
        {memory === null ? WORDS.unknown : bytes(memory * MIB)}
      </td>
      <td className={fits === false ? 'bad' : undefined} data-head={WORDS.fits}>
        {fits === null ? WORDS.unknown : fits ? WORDS.doesFit : WORDS.doesNotFit}
      </td>
      <td className={table.wrap} data-head={WORDS.languages}>
        {languages.join(' ')}
      </td>
      <td data-head={WORDS.license}>{license}</td>
      <td>
        <EntryActions entry={entry} {...actions} />
      </td>
    </tr>
  )
}

function EntryActions({ entry, isTesting, onUse, onRemove, onTest }: EntryRowProps) {
  const { id, run_by: by, files, fetched, received_bytes: received } = entry
  if (!('backend' in by)) return <Link to="/services">{WORDS.ofService(serviceDescriptor(by.service).title)}</Link>
  return (
    <div className="row">
      {files.length > 0 && !fetched && <FetchButton entry={entry} />}
      {files.length === 0 && <span className="dim">{WORDS.atFirstUse}</span>}
      {(fetched || files.length === 0) && <UseFor entry={entry} onUse={onUse} />}
      {fetched && entry.paths[0] === entry.path && (
        <RowButton label={WORDS.test} of={id} disabled={isTesting} onClick={onTest} />
      )}
      {received > 0 && <RowButton label={WORDS.remove} name={WORDS.removeOf(id)} onClick={onRemove} />}
    </div>
  )
}

/** Chooses what the model does in the set that is put together below. */
function UseFor({ entry, onUse }: { entry: CatalogueEntry; onUse: ModelCataloguePanelProps['onUse'] }) {
  const [task, choice] = [taskOf(entry), choiceOf(entry)]
  if (task === null || choice === null) return null
  const roles = task === 'generation' ? ModelRole.options.filter((role) => roleTask(role) === task) : []
  return (
    <Select
      size="xs"
      className={styles.useFor}
      aria-label={WORDS.takeOf(entry.id)}
      placeholder={WORDS.use}
      value={null}
      data={[{ value: task, label: WORDS.tasks[task] }, ...roles.map((value) => ({ value, label: roleWords(value) }))]}
      onChange={(value) => value !== null && onUse(value, choice)}
    />
  )
}

function RemoveFiles({ entry, onClose }: { entry: CatalogueEntry; onClose: () => void }) {
  const { id, paths, received_bytes: size, used_by: users } = entry
  const remove = useMutation(
    api.models.removeFetched.mutationOptions({
      meta: {
        failed: WORDS.removing,
        done: WORDS.isRemoved(id),
        returns: api.models.catalogue.queryKey(),
        refreshes: [api.models.found.key()],
      },
      onSuccess: onClose,
    }),
  )
  return (
    <ConfirmDialog
      opened
      title={WORDS.question(id)}
      confirm={WORDS.confirm}
      keep={WORDS.keep}
      held={users.length > 0}
      loading={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate({ id })}
    >
      <p>{WORDS.lost(bytes(size))}</p>
      <ul>
        {paths.map((path) => (
          <li key={path} className="bad">
            {path}
          </li>
        ))}
      </ul>
      {users.length > 0 && <p role="alert">▲ {WORDS.usedBy(users.join(', '))}</p>}
    </ConfirmDialog>
  )
}
