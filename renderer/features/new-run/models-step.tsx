import { Radio } from '@mantine/core'
import type { UseMutationResult } from '@tanstack/react-query'
import type { ModelSetView } from '../../../contract/control/experiment.ts'
import type { ModelTest } from '../../../contract/control/models.ts'
import { isRuleBased } from '../../../contract/manifests/model-backends.ts'
import { LOCAL_EMBEDDINGS } from '../../../contract/manifests/model-catalogue.ts'
import { CloudMark } from '../../components/cloud-mark.tsx'
import { RoleTable } from '../../components/role-table.tsx'
import { RowButton } from '../../components/row-button.tsx'
import { StateDot } from '../../components/state-dot.tsx'
import { ErrorPanel } from '../../components/states.tsx'
import { EmbeddingsOffer } from '../models/embeddings-offer.tsx'
import { TestResult } from '../models/test-result.tsx'
import { NEW_RUN_WORDS } from './new-run-words.ts'
import styles from './new-run.module.css'
import { MoreOptions } from './step-options.tsx'

const WORDS = NEW_RUN_WORDS.modelsStep

/** A test of the models of a set in their roles; what it was asked for is in its variables. */
export type SetTest = Pick<
  UseMutationResult<ModelTest, Error, { target: { set: string } }>,
  'data' | 'error' | 'isPending' | 'variables' | 'mutate'
>

interface ModelsStepProps {
  sets: readonly ModelSetView[]
  /** Name of the chosen set; null for the default. */
  chosen: string | null
  test: SetTest
  onChange: (set: string | null) => void
}

export const setOf = (sets: readonly ModelSetView[], chosen: string | null): ModelSetView | undefined =>
  sets.find(({ name, is_default: isDefault }) => (chosen === null ? isDefault : name === chosen))

/** One radio button per set, a person's own first, with the test state and the roles of the chosen one. */
export function ModelsStep({ sets, chosen, test, onChange }: ModelsStepProps) {
  const current = setOf(sets, chosen)
  const order = sets.toSorted((a, b) => Number(b.own) - Number(a.own) || Number(b.is_default) - Number(a.is_default))
  return (
    <>
      <Radio.Group
        aria-label={WORDS.modelSet}
        value={current?.name ?? null}
        onChange={(name) => onChange(setOf(sets, null)?.name === name ? null : name)}
      >
        <div className={styles.cards}>
          {order.map((set) => (
            <div key={set.name} className={styles.card} data-chosen={set === current || undefined}>
              <Radio
                size="sm"
                value={set.name}
                label={
                  <>
                    {set.name}
                    {set.is_default && <span className={styles.own}>{WORDS.default}</span>}
                    {set.own && <span className={styles.own}>{WORDS.own}</span>}
                  </>
                }
                description={set.description === '' ? undefined : set.description}
              />
              <div className={styles.aside}>
                <CloudMark set={set} />
              </div>
              {set === current && <TestState set={set} test={test} />}
            </div>
          ))}
        </div>
      </Radio.Group>
      {current !== undefined && (
        <MoreOptions key={current.name} title={WORDS.roles} open={false}>
          <RoleTable label={WORDS.rolesOf(current.name)} roles={current.roles} />
        </MoreOptions>
      )}
      <EmbeddingsOffer sets={sets} current={current} onUse={() => onChange(LOCAL_EMBEDDINGS.set)} />
    </>
  )
}

/** Shows the test of a set's models since the sheet was opened, its result, and what earlier calls taught. */
function TestState({ set, test }: { set: ModelSetView; test: SetTest }) {
  const { name, roles } = set
  if (Object.values(roles).every(({ backend }) => isRuleBased(backend)))
    return <p className={styles.state}>{WORDS.rulesOnly}</p>
  const isOfThis = test.variables?.target.set === name
  const result = isOfThis ? test.data : undefined
  const known = Object.values(roles).filter((role) => role.known.length > 0)
  return (
    <div className={styles.state}>
      {result === undefined && (
        <span>
          <StateDot tone="idle" /> {WORDS.notTested}
        </span>
      )}
      <RowButton
        size="compact-sm"
        label={WORDS.test}
        of={name}
        loading={isOfThis && test.isPending}
        onClick={() => test.mutate({ target: { set: name } })}
      />
      {[...new Set(known.map((role) => `${role.model}: ${role.known.join(' · ')}`))].map((words) => (
        <span key={words} className="dim">
          {words}
        </span>
      ))}
      {isOfThis && test.error !== null && <ErrorPanel error={test.error} what={WORDS.theTest} />}
      {result !== undefined && <TestResult name={name} result={result} />}
    </div>
  )
}
