import { Button, NumberInput, Select, TagsInput, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { EngineSettings, SettingsView } from '../../../contract/control/settings.ts'
import { MAX_CONCURRENCY } from '../../../contract/manifests/evaluation.ts'
import { VARIABLES } from '../../../contract/settings/variables.ts'
import { Form } from '../../components/dialog-form.tsx'
import { formFields } from '../../components/form-fields.ts'
import { Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { problemsOf } from '../../data/refused.ts'
import styles from './settings.module.css'
import { SETTINGS_WORDS } from './settings-words.ts'

const WORDS = SETTINGS_WORDS.engineForm

const ADDRESSES = ['gateway_url', 'platform_url', 'evaluator_url', 'judge_endpoint'] as const

/** Returns what a setting does, as the table of variables describes it. */
const descriptionOf = (setting: keyof EngineSettings): string =>
  Object.values(VARIABLES).find((variable) => variable.setting === setting)?.what ?? ''

/** Endpoints and defaults; empty leaves a value to environment and manifests. */
export function EngineForm({ view }: { view: SettingsView }) {
  const [draft, setDraft] = useState<EngineSettings>(view.settings)
  const experiment = useQuery(api.experiment.get.queryOptions()).data
  const sets = experiment?.model_sets ?? []
  const judges = experiment?.judge_panel.builtin ?? []
  const save = useMutation(
    api.settings.update.mutationOptions({
      meta: {
        done: WORDS.settingsSaved,
        returns: api.settings.get.queryKey(),
        refreshes: [api.settings.connections.key()],
      },
    }),
  )
  const { byField, rest } = problemsOf(save.error, (path) => Object.keys(draft).find((key) => path.endsWith(key)))
  const field = formFields({
    words: WORDS,
    draft,
    onChange: (part) => setDraft({ ...draft, ...part }),
    problems: byField,
  })
  const changed = JSON.stringify(draft) !== JSON.stringify(view.settings)
  return (
    <Panel title={WORDS.endpointsAndModels}>
      <Form onSubmit={() => save.mutate({ settings: draft })}>
        <div className="fields">
          {ADDRESSES.map((key) => (
            <TextInput
              key={key}
              {...field.any(key)}
              description={descriptionOf(key)}
              placeholder={WORDS.exampleAddress}
              value={draft[key] ?? ''}
              onChange={({ currentTarget: { value } }) => setDraft({ ...draft, [key]: value.trim() || null })}
            />
          ))}
          <Select
            {...field.optional('model_set')}
            description={descriptionOf('model_set')}
            placeholder={WORDS.default}
            data={sets.map(({ name }) => name)}
          />
          <NumberInput
            {...field.number('concurrency')}
            description={descriptionOf('concurrency')}
            min={1}
            max={MAX_CONCURRENCY}
          />
          <TagsInput
            {...field.any('judge_models')}
            description={descriptionOf('judge_models')}
            value={draft.judge_models ?? []}
            maxTags={16}
            data={judges}
            onChange={(models) => setDraft({ ...draft, judge_models: models.length === 0 ? null : models })}
          />
        </div>
        <div className={styles.actions}>
          <Button variant="filled" type="submit" disabled={!changed} loading={save.isPending}>
            {WORDS.saveSettings}
          </Button>
          {rest !== null && <span role="alert">▲ {rest}</span>}
        </div>
      </Form>
    </Panel>
  )
}
