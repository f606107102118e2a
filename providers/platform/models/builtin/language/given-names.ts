/** Everyday European given names. Far from all: a name that is missing is recognised by the text around it. */
const GIVEN_NAMES = new Set(
  `adam adele agnes aino alan albert alexander alexandra alfred alice alison amanda amelia andrea andreas andrew angela ann
anna anne annie anthony anton antonio arthur astrid august barbara beatrice beatrix ben benjamin bernard bertha brian
bridget bruno camille carl carla carlo carlos caroline catherine cecilia charles charlotte christian christina
christopher clara claire clement colin constance cornelia daniel david deborah dennis diana dieter dimitri dominic
donald dorothy douglas edgar edith edmund edward edwin eleanor elena elias elisabeth elizabeth ella ellen emil emily
emma eric erik ernest esther eva evelyn felix ferdinand fiona florence frances francis frank franz fred frederick
friedrich gabriel geoffrey george georg gerald gerard gertrude gilbert giovanni giuseppe grace graham gregory greta
gustav hannah hans harold harriet harry heinrich helen helena henri henrik henry herbert hermann hilda hubert hugh hugo
ian ida ingrid irene isaac isabel isabella ivan jack jacob jacques james jan jane janet jean jennifer jeremy jessica
joan johann johannes john jonas jonathan jose josef joseph joshua juan judith julia julian julie karen karl kate
katherine keith kenneth klaus kurt lars laura lawrence leo leon leonard leopold lewis lily linda louis louisa louise
lucas lucia lucy ludwig luigi luke magnus marcel marco margaret maria marie marion mark marta martha martin mary
matilda matthew maurice max michael michel miriam mohammed monica nancy nathan nicholas nicolas nigel nina nora norman
oliver olga oscar otto pablo patricia patrick paul pauline pedro peter philip philippa pierre rachel ralph raymond
rebecca reginald richard rita robert roger roland ronald rosa rosalind rose rudolf rupert ruth samuel sandra sarah
sebastian sergei sigmund simon sofia sophia sophie stanley stefan stephen steven susan sven sylvia theodor theodore
theresa thomas timothy tobias ursula valerie vera victor victoria viktor vincent viola virginia vladimir walter warren
werner wilhelm william winifred yvonne`.split(/\s+/),
)

/** True for an everyday given name in lower case. */
export function isGivenName(word: string): boolean {
  return GIVEN_NAMES.has(word)
}
