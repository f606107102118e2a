import { Checkbox } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { AliasView } from '../../../contract/control/experiment.ts'
import { approachDescriptor, type BaseApproach, DECLARABLE_APPROACHES } from '../../../contract/approaches.ts'
import { approachAbout } from '../../../core/approach-words.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { RowButton } from '../../components/row-button.tsx'
import { FlavorEditor } from './flavor-editor.tsx'
import { flavorOf, type FlavorStart } from './flavor-draft.ts'
import styles from './new-run.module.css'
import { parameterText } from './parameter-text.ts'
import { NEW_RUN_WORDS } from './new-run-words.ts'
import { OwnApproaches } from './own/own-approaches.tsx'
import { useFlavors } from './use-flavors.ts'

const WORDS = NEW_RUN_WORDS.aliasChoice

const small = { size: 'compact-xs', variant: 'subtle' } as const

interface AliasChoiceProps {
  aliases: AliasView[]
  /** Aliases that are listed for themselves, below the approaches. */
  baselines: readonly string[]
  /** Aliases of experimental approaches, listed for themselves too. */
  experimental: readonly string[]
  chosen: string[]
  onChange: (chosen: string[]) => void
}

/** Approaches with their flavors under them, where a person adds, changes and removes flavors of their own. */
export function AliasChoice({ aliases, baselines, experimental, chosen, onChange }: AliasChoiceProps) {
  const [start, setStart] = useState<FlavorStart | null>(null)
  const { remove } = useFlavors()
  const toggle = (alias: string, on: boolean): void =>
    onChange(aliases.map((each) => each.alias).filter((each) => (each === alias ? on : chosen.includes(each))))
  const baseOf = (view: AliasView): AliasView | undefined =>
    view.flavor === null ? undefined : aliases.find(({ base, flavor }) => base === view.base && flavor === null)
  const box = (view: AliasView) => (
    <div key={view.alias} className={styles.alias}>
      <Checkbox
        size="sm"
        checked={chosen.includes(view.alias)}
        onChange={({ currentTarget }) => toggle(view.alias, currentTarget.checked)}
        label={
          <>
            <ApproachName alias={view.alias} base={view.base} />
            {view.own && <span className={styles.own}>{WORDS.own}</span>}
          </>
        }
        description={
          <>
            {view.flavor === null && <span className={styles.about}>{approachAbout(view)}</span>}
            {parameterText(view, baseOf(view))}
          </>
        }
      />
      {view.own && (
        <div className={styles.ownActions}>
          <RowButton
            {...small}
            label={WORDS.change}
            of={view.alias}
            onClick={() => setStart({ from: view, changes: true })}
          />
          <RowButton
            {...small}
            color="red"
            label={WORDS.remove}
            of={view.alias}
            onClick={() => {
              onChange(chosen.filter((each) => each !== view.alias))
              remove(view.alias, flavorOf(view))
            }}
          />
        </div>
      )}
    </div>
  )
  const group = (base: BaseApproach) => {
    const own = aliases.filter((view) => view.base === base && !baselines.includes(view.alias))
    const main = own.find(({ flavor }) => flavor === null)
    const flavors = own.filter(({ flavor }) => flavor !== null)
    const { short } = approachDescriptor(base)
    return (
      <div key={base} className={styles.group}>
        {main !== undefined && box(main)}
        {(flavors.length > 0 || (main?.settable ?? null) !== null) && (
          <Flavors
            title={WORDS.flavors(short, flavors.length)}
            open={flavors.some(({ alias, own: isOwn }) => isOwn || chosen.includes(alias))}
          >
            {flavors.map(box)}
            {main !== undefined && main.settable !== null && (
              <RowButton
                {...small}
                className={styles.newFlavor}
                label={WORDS.newFlavor}
                name={WORDS.newFlavorOf(short)}
                onClick={() => setStart({ from: main, changes: false })}
              />
            )}
          </Flavors>
        )}
      </div>
    )
  }
  const listed = (legend: string, names: readonly string[]) => (
    <fieldset className={styles.part}>
      <legend>{legend}</legend>
      {aliases
        .filter(({ alias }) => names.includes(alias))
        .map((view) => (
          <Checkbox
            key={view.alias}
            size="sm"
            checked={chosen.includes(view.alias)}
            onChange={({ currentTarget }) => toggle(view.alias, currentTarget.checked)}
            label={<ApproachName alias={view.alias} base={view.base} />}
            description={approachAbout(view)}
          />
        ))}
    </fieldset>
  )
  return (
    <>
      <div className={styles.approaches}>
        {DECLARABLE_APPROACHES.filter((base) => aliases.some((view) => view.base === base)).map(group)}
      </div>
      <OwnApproaches
        chosen={chosen}
        onToggle={(name, on) => onChange([...chosen.filter((each) => each !== name), ...(on ? [name] : [])])}
      />
      {listed(WORDS.experimental, experimental)}
      {listed(WORDS.baselines, baselines)}
      {start !== null && (
        <FlavorEditor
          start={start}
          onClose={() => setStart(null)}
          onSaved={(name) => {
            setStart(null)
            // The new list of aliases is not here yet; what is chosen is read by name.
            if (!chosen.includes(name)) onChange([...chosen, name])
          }}
        />
      )}
    </>
  )
}

/** Flavors of one approach: folded, until one of them is chosen or a person's own. */
function Flavors({ title, open, children }: { title: string; open: boolean; children: ReactNode }) {
  const [isOpen, setOpen] = useState(open)
  return (
    <details
      className={styles.flavors}
      open={isOpen || open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{title}</summary>
      {children}
    </details>
  )
}
