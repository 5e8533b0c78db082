import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript-5';
import { ROOT, type Source } from './sources.ts';

const { imports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { imports: Record<string, string> };

/** Path prefixes by import prefix, from package.json: `#web/*` is `src/web/*`. */
const PREFIXES = Object.entries(imports).map(([from, to]) => [from.slice(0, -1), to.slice('./'.length, -1)] as const);

/** Finds files that import each other in a circle, types counted: one list of paths for each circle. */
export function findCircles(sources: readonly Source[]): string[][] {
  const paths = new Set(sources.map(({ path }) => path));
  const edges = new Map(
    sources.map((source) => [source.path, importsOf(source).filter((target) => paths.has(target))] as const),
  );
  return components(edges).filter((members) => members.length > 1);
}

function importsOf({ path, tree }: Source): string[] {
  const found: string[] = [];
  const add = (specifier: ts.Node | undefined) => {
    if (specifier && ts.isStringLiteral(specifier)) found.push(resolve(path, specifier.text));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) add(node.moduleSpecifier);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0]);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function resolve(from: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  const [prefix = '', folder = ''] = PREFIXES.find(([start]) => specifier.startsWith(start)) ?? [];
  return folder + specifier.slice(prefix.length);
}

/** Finds strongly connected components by Tarjan's algorithm. */
function components(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const stack: string[] = [];
  const walk = (node: string): number => {
    const index = order.size;
    order.set(node, index);
    stack.push(node);
    let low = index;
    for (const target of edges.get(node) ?? []) {
      if (!order.has(target)) low = Math.min(low, walk(target));
      else if (stack.includes(target)) low = Math.min(low, order.get(target) ?? low);
    }
    if (low === index) found.push(stack.splice(stack.indexOf(node)));
    return low;
  };
  for (const node of edges.keys()) if (!order.has(node)) walk(node);
  return found;
}
