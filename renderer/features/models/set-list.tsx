import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ModelSetView } from '../../../contract/control/experiment.ts'
import { CloudMark } from '../../components/cloud-mark.tsx'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { ErrorPanel, Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import styles from './models.module.css'
import { TestResult } from './test-result.tsx'
import { MODELS_WORDS } from './models-words.ts'
import { RoleTable } from '../../components/role-table.tsx'
import { useModelsChange } from './use-models.ts'

const WORDS = MODELS_WORDS.sets

function SetEntry({ set }: { set: ModelSetView }) {
  const { name, description, is_default: isDefault, own } = set
  const navigate = useNavigate()
  const change = useModelsChange()
  const use = useMutation(
    api.models.use.mutationOptions({
      ...change,
      onSuccess: () => notifyDone(WORDS.isDefault(name)),
      onError: (error) => notifyFailure(WORDS.changing, error),
    }),
  )
  const remove = useMutation(
    api.models.remove.mutationOptions({ ...change, onError: (error) => notifyFailure(WORDS.removing, error) }),
  )
  const client = useQueryClient()
  // What the test has learned is shown beside the models here and in New run.
  const test = useMutation(
    api.models.test.mutationOptions({
      onSettled: async () => {
        await client.invalidateQueries({ queryKey: api.models.list.key() })
        await client.invalidateQueries({ queryKey: api.experiment.key() })
      },
    }),
  )
  return (
    <section className={styles.set} aria-label={name}>
      <div className={styles.setHead}>
        <div>
          <h3>
            {name}
            {isDefault && <span className={styles.badge}>{WORDS.default}</span>}
            {own && <span className={styles.badge}>{WORDS.own}</span>}
          </h3>
          {description !== '' && <p className="dim">{description}</p>}
          <CloudMark set={set} />
        </div>
        <div className={styles.row}>
          <Button
            size="xs"
            aria-label={WORDS.useOf(name)}
            onClick={() => void navigate({ to: '/launch', search: { modelSet: name } })}
          >
            {WORDS.useInLaunch}
          </Button>
          <Button
            size="xs"
            variant="default"
            aria-label={WORDS.testOf(name)}
            loading={test.isPending}
            onClick={() => test.mutate({ target: { set: name } })}
          >
            {WORDS.test}
          </Button>
          {!isDefault && (
            <Button
              size="xs"
              variant="default"
              aria-label={WORDS.makeDefaultOf(name)}
              loading={use.isPending}
              onClick={() => use.mutate({ name })}
            >
              {WORDS.makeDefault}
            </Button>
          )}
          {own && (
            <Button
              size="xs"
              variant="default"
              aria-label={WORDS.removeOf(name)}
              loading={remove.isPending}
              onClick={() => remove.mutate({ name, part: 'set' })}
            >
              {WORDS.remove}
            </Button>
          )}
        </div>
      </div>
      <details>
        <summary aria-label={WORDS.rolesOf(name)}>{WORDS.roles}</summary>
        <RoleTable label={WORDS.rolesOf(name)} roles={set.roles} />
      </details>
      {test.isError && <ErrorPanel error={test.error} what={MODELS_WORDS.test.theTest} />}
      {test.data !== undefined && <TestResult name={name} result={test.data} />}
    </section>
  )
}

/** All sets, a person's own first. */
export function SetList({ sets }: { sets: readonly ModelSetView[] }) {
  const sorted = sets.toSorted((a, b) => Number(b.own) - Number(a.own))
  return (
    <Panel title={WORDS.title}>
      {sorted.map((set) => (
        <SetEntry key={set.name} set={set} />
      ))}
    </Panel>
  )
}
