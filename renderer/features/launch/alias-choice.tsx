import { Checkbox } from '@mantine/core'
import type { AliasView } from '../../../contract/control/experiment.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import styles from './launch.module.css'

interface AliasChoiceProps {
  aliases: AliasView[]
  chosen: string[]
  onChange: (chosen: string[]) => void
}

/** What makes an alias what it is; of a flavor, only where it differs from its base. */
function parameterText({ parameters, requires_reingest: reingest, evidence }: AliasView, base?: AliasView): string {
  const differs = ([name, value]: [string, unknown]): boolean =>
    base === undefined || JSON.stringify(base.parameters[name]) !== JSON.stringify(value)
  const given = Object.entries(parameters).filter(differs)
  return [
    ...given.map(
      ([name, value]) => `${name.replaceAll('_', ' ')} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ),
    ...(base !== undefined && given.length === 0 ? ['as its base'] : []),
    ...(base === undefined && evidence === 'answer_only' ? ['answer only: no contexts to measure'] : []),
    ...(reingest ? ['ingests again'] : []),
  ].join(' · ')
}

/** Approaches with their flavors under them. */
export function AliasChoice({ aliases, chosen, onChange }: AliasChoiceProps) {
  const toggle = (alias: string, on: boolean): void =>
    onChange(aliases.map((each) => each.alias).filter((each) => (each === alias ? on : chosen.includes(each))))
  const box = (view: AliasView) => (
    <Checkbox
      key={view.alias}
      size="sm"
      checked={chosen.includes(view.alias)}
      onChange={({ currentTarget }) => toggle(view.alias, currentTarget.checked)}
      label={<ApproachName alias={view.alias} base={view.base} />}
      description={parameterText(
        view,
        view.flavor === null ? undefined : aliases.find(({ base, flavor }) => base === view.base && flavor === null),
      )}
    />
  )
  return (
    <div className={styles.approaches}>
      {[...new Set(aliases.map(({ base }) => base))].map((base) => (
        <div key={base} className={styles.group}>
          {aliases.filter((view) => view.base === base && view.flavor === null).map(box)}
          <div className={styles.flavors}>
            {aliases.filter((view) => view.base === base && view.flavor !== null).map(box)}
          </div>
        </div>
      ))}
    </div>
  )
}
