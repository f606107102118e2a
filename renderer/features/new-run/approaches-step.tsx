import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import {
  DECLARABLE_APPROACHES,
  EXPERIMENTAL_APPROACHES,
  KEYWORD_BASELINE,
  TEXT_BASELINES,
} from '../../../contract/approaches.ts'
import type { AliasView } from '../../../contract/control/experiment.ts'
import { AliasChoice } from './alias-choice.tsx'
import { NEW_RUN_WORDS } from './new-run-words.ts'

const WORDS = NEW_RUN_WORDS.approachesStep

/** Baselines in the order in which they are offered. */
const BASELINES: readonly string[] = [KEYWORD_BASELINE, ...TEXT_BASELINES]

const EXPERIMENTAL: readonly string[] = Object.keys(EXPERIMENTAL_APPROACHES)

const isDeclared = ({ base, alias }: AliasView): boolean =>
  DECLARABLE_APPROACHES.includes(base) && !BASELINES.includes(alias)

interface ApproachesStepProps {
  aliases: AliasView[]
  chosen: string[]
  onChange: (chosen: string[]) => void
}

/** Approaches with their flavors folded, own ones, baselines, and sets of them at one click. */
export function ApproachesStep({ aliases, chosen, onChange }: ApproachesStepProps) {
  const sets: [string, AliasView[]][] = [
    [WORDS.none, []],
    [WORDS.defaults, aliases.filter(({ by_default: isByDefault }) => isByDefault)],
    [WORDS.allApproaches, aliases.filter((view) => isDeclared(view) && view.flavor === null)],
    [WORDS.withFlavors, aliases.filter(isDeclared)],
  ]
  return (
    <>
      <div className="row">
        {sets.map(([name, set]) => (
          <Button key={name} size="compact-sm" onClick={() => onChange(set.map(({ alias }) => alias))}>
            {name}
          </Button>
        ))}
        <Link to="/tools/tune" search={chosen.length === 1 ? { alias: chosen[0] } : {}}>
          {WORDS.tune}
        </Link>
      </div>
      <AliasChoice
        aliases={aliases}
        baselines={BASELINES}
        experimental={EXPERIMENTAL}
        chosen={chosen}
        onChange={onChange}
      />
    </>
  )
}
