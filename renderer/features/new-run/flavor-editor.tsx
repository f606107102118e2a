import { Modal, NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { approachDescriptor } from '../../../contract/approaches.ts'
import { parameterFields, type ParameterField } from '../../../core/approach-parameters.ts'
import { DialogForm } from '../../components/dialog-form.tsx'
import { notifyDone } from '../../components/notify.ts'
import { problemsOf } from '../../data/refused.ts'
import { changedFields, suggestedName, withoutEmpty, type FlavorStart, type FlavorValues } from './flavor-draft.ts'
import styles from './new-run.module.css'
import { NEW_RUN_WORDS } from './new-run-words.ts'
import { useFlavors } from './use-flavors.ts'

const WORDS = NEW_RUN_WORDS.flavors

interface FieldProps {
  field: ParameterField
  value: FlavorValues[string] | undefined
  /** Value of the alias that it starts from, where it is another. */
  before: FlavorValues[string] | undefined
  error: string | undefined
  onChange: (value: FlavorValues[string]) => void
}

function Field({ field: { label, about, kind, range, options }, value, before, error, onChange }: FieldProps) {
  const description =
    before === undefined
      ? about
      : `${about} ${WORDS.instead(typeof before === 'string' ? before : JSON.stringify(before))}`
  const shared = { label, description, error }
  if (kind === 'switch')
    return (
      <Switch {...shared} checked={value === true} onChange={({ currentTarget: { checked } }) => onChange(checked)} />
    )
  if (kind === 'choice')
    return (
      <Select
        {...shared}
        data={options}
        value={typeof value === 'string' ? value : null}
        onChange={(next) => next !== null && onChange(next)}
      />
    )
  if (kind === 'text')
    return (
      <Textarea
        {...shared}
        className={styles.wide}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={range![1]}
        value={typeof value === 'string' ? value : ''}
        onChange={({ currentTarget: { value: next } }) => onChange(next)}
      />
    )
  const [min, max] = range!
  return (
    <NumberInput
      {...shared}
      {...{ min, max }}
      step={kind === 'share' ? 0.05 : 1}
      allowDecimal={kind === 'share'}
      clampBehavior="blur"
      value={typeof value === 'number' ? value : ''}
      onChange={onChange}
    />
  )
}

interface FlavorEditorProps {
  start: FlavorStart
  onClose: () => void
  onSaved: (name: string) => void
}

/** Parameters of an alias as a flavor of one's own, with a name that states what is different until another is typed. */
export function FlavorEditor({ start, onClose, onSaved }: FlavorEditorProps) {
  const { from, changes } = start
  const [values, setValues] = useState<FlavorValues>(from.settable ?? {})
  const [typed, setTyped] = useState('')
  const { save } = useFlavors()
  const fields = parameterFields(from.base)
  const changed = changedFields(start, values).map((field) => field.name)
  const name = changes ? from.alias : typed.trim() || suggestedName(start, values)
  const path = (field: string): string => `flavor.parameters.${field}`
  const { byField, rest } = problemsOf(save.error, [
    'name',
    `flavors.${name}`,
    ...fields.map((field) => path(field.name)),
  ])
  const title = changes ? WORDS.changeTitle(from.alias) : WORDS.newTitle(approachDescriptor(from.base).short)
  const submit = (): void =>
    save.mutate(
      { name, flavor: { base: from.base, parameters: withoutEmpty(values) } },
      {
        onSuccess: () => {
          notifyDone(WORDS.saved(name))
          onSaved(name)
        },
      },
    )
  return (
    <Modal opened onClose={onClose} title={title} centered size="lg">
      <DialogForm
        label={title}
        submit={WORDS.save}
        isReady={changed.length > 0 && name !== ''}
        isPending={save.isPending}
        problem={rest}
        onCancel={onClose}
        onSubmit={submit}
      >
        <p className="dim">{changes ? WORDS.changeAbout : WORDS.newAbout(from.alias)}</p>
        <div className="fields">
          {fields.map((field) => (
            <Field
              key={field.name}
              field={field}
              value={values[field.name]}
              before={changed.includes(field.name) ? (from.settable?.[field.name] ?? WORDS.nothing) : undefined}
              error={byField[path(field.name)]}
              onChange={(value) => setValues({ ...values, [field.name]: value })}
            />
          ))}
        </div>
        {!changes && (
          <TextInput
            label={WORDS.name}
            description={WORDS.nameAbout}
            placeholder={suggestedName(start, values)}
            value={typed}
            error={byField['name'] ?? byField[`flavors.${name}`]}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
          />
        )}
      </DialogForm>
    </Modal>
  )
}
