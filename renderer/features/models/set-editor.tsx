import { Autocomplete, Button, Checkbox, Select, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { isRuleBased, localLabel, type Backend, type ModelTask } from '../../../contract/manifests/model-backends.ts'
import { ModelRole, roleTask } from '../../../contract/manifests/models.ts'
import type { ModelSetView } from '../../../contract/control/experiment.ts'
import type { ModelsView } from '../../../contract/control/models.ts'
import { Form } from '../../components/dialog-form.tsx'
import { CloudMark } from '../../components/cloud-mark.tsx'
import { notifyDone } from '../../components/notify.ts'
import { Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { problemsOf } from '../../data/refused.ts'
import styles from './models.module.css'
import { MODELS_WORDS } from './models-words.ts'
import {
  choiceOf,
  connectionOf,
  draftedRoles,
  isUnchanged,
  setOf,
  sourcesOf,
  type Choice,
  type SetDraft,
  type Source,
} from './set-draft.ts'
import { roleWords } from '../../../core/role-words.ts'
import { MODELS_CHANGE } from './use-models.ts'

const WORDS = MODELS_WORDS.editor

const sourceLabel = (source: Source): string => connectionOf(source) ?? localLabel(source as Backend)

interface PickerProps {
  label: string
  task: ModelTask
  connections: ModelsView['connections']
  choice: Choice | null
  /** Null: as the model above. */
  onChange: (choice: Choice | null) => void
  isOptional?: boolean
}

/** A source and a model of it; a service's models are listed by the service. */
function ModelPicker({ label, task, connections, choice, onChange, isOptional = false }: PickerProps) {
  const connection = choice === null ? null : connectionOf(choice.source)
  const listed = useQuery({
    ...api.models.test.queryOptions({ input: { target: { name: connection ?? '' }, list_only: true, timeout_s: 10 } }),
    enabled: connection !== null,
    staleTime: 60_000,
  })
  const sources = sourcesOf(task, connections, choice?.source).map((value) => ({ value, label: sourceLabel(value) }))
  return (
    <fieldset className={styles.picker}>
      <span>{label}</span>
      <Select
        aria-label={WORDS.of(WORDS.source, label)}
        data={sources}
        placeholder={isOptional ? WORDS.asAbove : WORDS.source}
        clearable={isOptional}
        value={choice?.source ?? null}
        onChange={(source) => onChange(source === null ? null : { source, model: '' })}
      />
      {choice !== null && !isRuleBased(choice.source) && (
        <Autocomplete
          aria-label={WORDS.of(WORDS.model, label)}
          placeholder={WORDS.model}
          data={connection === null ? [] : [...new Set(listed.data?.models)]}
          value={choice.model}
          error={listed.data?.works === false ? (listed.data.problems[0] ?? listed.data.probes[0]?.error) : undefined}
          onChange={(model) => onChange({ ...choice, model })}
        />
      )}
    </fieldset>
  )
}

interface SetEditorProps {
  view: ModelsView
  draft: SetDraft
  onDraft: (draft: SetDraft) => void
  /** With the name of the set that was saved; without one where the person changed their mind. */
  onClose: (saved?: string) => void
}

/** One model for all roles, or a model per role, saved as a set, a new one or in place of the set that is edited; a run can be prepared with it at once. */
export function SetEditor({ view: { connections, sets }, draft, onDraft, onClose }: SetEditorProps) {
  const { isPerRole, edited } = draft
  const navigate = useNavigate()
  const save = useMutation(
    api.models.saveSet.mutationOptions({
      meta: MODELS_CHANGE,
      onSuccess: (_view, { name }) => notifyDone(WORDS.saved(name)),
    }),
  )
  const used = isPerRole ? draft : { ...draft, roles: {} }
  const set = setOf(used, sets)
  const name = draft.name.trim()
  const isReady = set !== null && name !== ''
  const isAsSaved = name === edited?.name && isUnchanged(draft, sets)
  const saveThen = (next: () => void): void => {
    if (!isReady) return
    if (isAsSaved) next()
    else save.mutate({ name, set }, { onSuccess: next })
  }
  // New run is opened once it knows the set.
  const open = (): void => void navigate({ to: '/launch', search: { modelSet: name } })
  const { byField, rest } = problemsOf(save.error, ['name'])
  const title = edited === null ? WORDS.title : WORDS.editing(edited.name)
  return (
    <Panel title={title}>
      <Form className="stack" label={title} onSubmit={() => saveThen(() => onClose(name))}>
        <p className="dim">{edited === null ? WORDS.about : WORDS.editAbout}</p>
        <div className="stack">
          {(['text', 'embedding', 'rerank'] as const).map((part) => (
            <ModelPicker
              key={part}
              connections={connections}
              label={WORDS[part]}
              task={part === 'text' ? 'generation' : part}
              choice={draft[part]}
              onChange={(choice) => choice !== null && onDraft({ ...draft, [part]: choice })}
            />
          ))}
          <Checkbox
            size="sm"
            label={WORDS.perRole}
            checked={isPerRole}
            onChange={({ currentTarget: { checked } }) => onDraft({ ...draft, isPerRole: checked })}
          />
          {isPerRole &&
            ModelRole.options.map((role) => (
              <ModelPicker
                key={role}
                connections={connections}
                isOptional
                label={roleWords(role)}
                task={roleTask(role)}
                choice={draft.roles[role] ?? null}
                onChange={(choice) => {
                  const { [role]: _, ...others } = draft.roles
                  onDraft({ ...draft, roles: choice === null ? others : { ...others, [role]: choice } })
                }}
              />
            ))}
        </div>
        <div className="fields">
          <TextInput
            label={WORDS.setName}
            value={draft.name}
            error={byField['name']}
            onChange={({ currentTarget: { value } }) => onDraft({ ...draft, name: value })}
          />
        </div>
        {!isAsSaved && name !== '' && <SetFate name={name} edited={edited} sets={sets} />}
        <div className="row">
          <Button
            variant="filled"
            data-primary
            loading={save.isPending}
            disabled={!isReady}
            onClick={() => saveThen(open)}
          >
            {WORDS.useInLaunch}
          </Button>
          <Button type="submit" loading={save.isPending} disabled={!isReady}>
            {WORDS.save}
          </Button>
          <Button variant="subtle" onClick={() => onClose()}>
            {WORDS.cancel}
          </Button>
          <CloudMark set={{ roles: draftedRoles(used, connections) }} />
          {set === null && choiceOf(draft, 'light_gen') !== null && <span className="dim">{WORDS.missing}</span>}
          {rest !== null && <span role="alert">▲ {rest}</span>}
        </div>
      </Form>
    </Panel>
  )
}

interface SetFateProps {
  name: string
  edited: ModelSetView | null
  sets: readonly ModelSetView[]
}

/** States what saving under a name changes: its set and that set's runs, or nothing besides a further set. */
function SetFate({ name, edited, sets }: SetFateProps) {
  const isReplaced = sets.some((set) => set.own && set.name === name)
  const overview = useQuery({
    ...api.runs.overview.queryOptions({ input: { limit: 200 } }),
    enabled: isReplaced,
  })
  if (!isReplaced) return edited !== null && <p className="dim">{WORDS.furtherSet(edited.name)}</p>
  const runs = overview.data?.runs.filter(({ model_sets: used }) => used.includes(name)).length
  return (
    <p role="status">
      {WORDS.replaces(name)} {runs !== undefined && runs > 0 && WORDS.storedRuns(runs)}
    </p>
  )
}
