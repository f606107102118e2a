import { Button, Select } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ModelSetView } from '../../../contract/control/experiment.ts'
import { CloudMark } from '../../components/cloud-mark.tsx'
import { MoreMenu } from '../../components/more-menu.tsx'
import { RoleTable } from '../../components/role-table.tsx'
import { RowButton } from '../../components/row-button.tsx'
import { ErrorPanel, Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { MODELS_WORDS } from './models-words.ts'
import { TestResult } from './test-result.tsx'
import { MODELS_CHANGE } from './use-models.ts'

const WORDS = MODELS_WORDS.sets

interface RolesPanelProps {
  sets: readonly ModelSetView[]
  /** Name of the set to show; without one that which runs use. */
  shown: string | undefined
  onShow: (set: string) => void
  /** Opens the form for a new set. */
  onNew: () => void
  /** Opens the form with a set of one's own. */
  onEdit: (set: ModelSetView) => void
}

/** Which model does what in one set of models, and what can be done with the set. */
export function RolesPanel({ sets, shown, onShow, onNew, onEdit }: RolesPanelProps) {
  const set = sets.find(({ name }) => name === shown) ?? sets.find(({ is_default: isDefault }) => isDefault) ?? sets[0]
  const item = ({ name, is_default: isDefault }: ModelSetView) => ({
    value: name,
    label: isDefault ? WORDS.isUsed(name) : name,
  })
  const groups = [
    { group: WORDS.own, items: sets.filter(({ own }) => own).map(item) },
    { group: WORDS.ofProject, items: sets.filter(({ own }) => !own).map(item) },
  ].filter(({ items }) => items.length > 0)
  return (
    <Panel
      title={WORDS.title}
      aside={
        <>
          <Select
            size="xs"
            aria-label={WORDS.set}
            data={groups}
            value={set?.name ?? null}
            onChange={(name) => name !== null && onShow(name)}
          />
          <Button onClick={onNew}>{WORDS.new}</Button>
        </>
      }
    >
      {set !== undefined && <SetRoles key={set.name} set={set} onEdit={() => onEdit(set)} />}
    </Panel>
  )
}

function SetRoles({ set, onEdit }: { set: ModelSetView; onEdit: () => void }) {
  const { name, description, is_default: isDefault, own } = set
  const navigate = useNavigate()
  const isPaid = Object.values(set.roles).some(({ cloud }) => cloud)
  const prices = useQuery({ ...api.models.prices.queryOptions(), enabled: isPaid }).data
  const use = useMutation(
    api.models.use.mutationOptions({
      meta: { ...MODELS_CHANGE, failed: WORDS.changing, done: WORDS.isDefault(name) },
    }),
  )
  const remove = useMutation(api.models.remove.mutationOptions({ meta: { ...MODELS_CHANGE, failed: WORDS.removing } }))
  // What the test has learned is shown beside the models here and in New run.
  const test = useMutation(
    api.models.test.mutationOptions({ meta: { refreshes: [api.models.list.key(), api.experiment.key()] } }),
  )
  return (
    <section className="stack" aria-label={name}>
      <div className="row apart">
        <div>
          <p>
            <strong>{name}</strong>
            {isDefault && <span className="badge">{WORDS.default}</span>}
            {own && <span className="badge">{WORDS.yours}</span>}
          </p>
          {description !== '' && <p className="dim">{description}</p>}
          <CloudMark set={set} />
        </div>
        <div className="row">
          <RowButton
            label={WORDS.useInLaunch}
            name={WORDS.useOf(name)}
            onClick={() => void navigate({ to: '/launch', search: { modelSet: name } })}
          />
          <RowButton
            label={WORDS.test}
            name={WORDS.testOf(name)}
            loading={test.isPending}
            onClick={() => test.mutate({ target: { set: name } })}
          />
          {own && <RowButton label={WORDS.edit} name={WORDS.editOf(name)} onClick={onEdit} />}
          <MoreMenu
            name={WORDS.moreOf(name)}
            isPending={use.isPending || remove.isPending}
            items={[
              !isDefault && [WORDS.makeDefault, () => use.mutate({ name })],
              own && [WORDS.remove, () => remove.mutate({ name, part: 'set' })],
            ]}
          />
        </div>
      </div>
      <RoleTable label={WORDS.rolesOf(name)} roles={set.roles} prices={isPaid ? prices : undefined} />
      {test.isError && <ErrorPanel error={test.error} what={MODELS_WORDS.test.theTest} />}
      {test.data !== undefined && <TestResult name={name} result={test.data} />}
    </section>
  )
}
