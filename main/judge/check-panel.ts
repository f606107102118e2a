import { BaseApproach } from '../../contract/index.ts'
import { isBuiltinJudge, isBuiltinName, BUILTIN_JUDGES } from './builtin/builtin-judges.ts'
import { JudgePanelError } from './judge-error.ts'
import { modelFamily } from './model-family.ts'
import type { JudgePanel } from './panel-settings.ts'

/**
 * Refuses an enabled panel that could not judge fairly; to be called before any approach is. Needed are two judges or more, each of another
 * family, none of them an approach. Throws `JudgePanelError`; a disabled panel passes.
 */
export function checkJudgePanel(
  panel: Pick<JudgePanel, 'enabled' | 'models' | 'families'>,
  approaches: Iterable<string> = [],
): void {
  if (!panel.enabled) return
  const { models, families } = panel
  if (models.length === 0)
    throw new JudgePanelError(
      'judge_models_missing',
      'the judge panel is enabled but names no judge: set JUDGE_MODELS, or metrics.judge_panel.models in the manifest, or disable it',
    )
  if (new Set(models).size < 2)
    throw new JudgePanelError(
      'judge_models_too_few',
      `a panel needs two judges or more, but only ${models[0]!} is named`,
      { models },
    )
  const unknown = models.find((name) => isBuiltinName(name) && !isBuiltinJudge(name))
  if (unknown !== undefined)
    throw new JudgePanelError(
      'judge_unknown',
      `${unknown} is no built-in judge; there are ${BUILTIN_JUDGES.join(' and ')}`,
    )
  const graded = new Set<string>([...approaches, ...BaseApproach.options])
  const own = models.find((name) => graded.has(name))
  if (own !== undefined)
    throw new JudgePanelError('judge_is_approach', `${own} is an approach: it cannot grade its own answers`)
  const byFamily = Map.groupBy(new Set(models), (name) => modelFamily(name, families))
  for (const [family, members] of byFamily)
    if (members.length > 1)
      throw new JudgePanelError(
        'judge_families_not_distinct',
        `${members.join(' and ')} are of one family (${family}): a family tends to agree with itself. Name judges of different families, or declare the families where names mislead: JUDGE_FAMILIES=name=family,… or metrics.judge_panel.families`,
        { family, models: members },
      )
}
