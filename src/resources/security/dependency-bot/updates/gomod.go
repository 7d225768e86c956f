// Finds updates of Go modules. It runs in a job, and uses the `go` command, which builds and runs nothing here: no toolchain of
// the repository, no version control of modules, no cgo, no generators. Modules come from the job's proxies alone.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"
)

const (
	gitTime  = 60 * time.Second
	listTime = 60 * time.Second
	tidyTime = 10 * time.Minute
	// Of the result: its characters, and its bytes before compression. The server refuses more.
	resultCharacters = 900_000
	resultBytes      = 16 << 20
	// The server refuses more of these.
	mostResults      = 100
	mostDependencies = 1_000
	mostSkipped      = 1_000
)

type group struct {
	Name            string   `json:"name"`
	Patterns        []string `json:"patterns"`
	ExcludePatterns []string `json:"exclude_patterns"`
	UpdateTypes     []string `json:"update_types"`
	DependencyType  string   `json:"dependency_type"`
}

type advisory struct {
	Name       string   `json:"name"`
	Patched    string   `json:"patched"`
	Vulnerable []string `json:"vulnerable"`
}

type ignoreRule struct {
	Name        string   `json:"name"`
	Versions    []string `json:"versions"`
	UpdateTypes []string `json:"update_types"`
}

type allowRule struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

type cooldown struct {
	Major   int      `json:"major"`
	Minor   int      `json:"minor"`
	Patch   int      `json:"patch"`
	Include []string `json:"include"`
	Exclude []string `json:"exclude"`
}

type rules struct {
	Ignore   []ignoreRule `json:"ignore"`
	Allow    *[]allowRule `json:"allow"`
	Groups   []group      `json:"groups"`
	Strategy string       `json:"strategy"`
	Cooldown *cooldown    `json:"cooldown"`
	Limit    int          `json:"limit"`
}

type openUpdate struct {
	Group        string       `json:"group"`
	Dependencies []dependency `json:"dependencies"`
}

type request struct {
	Directory      string       `json:"directory"`
	Kind           string       `json:"kind"`
	Security       []advisory   `json:"security"`
	SecurityGroups []group      `json:"security_groups"`
	Version        rules        `json:"version"`
	Open           []openUpdate `json:"open"`
}

type dependency struct {
	Name string `json:"name"`
	From string `json:"from,omitempty"`
	To   string `json:"to"`
	Type string `json:"type,omitempty"`
}

type result struct {
	Group        string       `json:"group,omitempty"`
	Dependencies []dependency `json:"dependencies"`
	Patch        string       `json:"patch"`
}

type skipped struct {
	Name   string `json:"name,omitempty"`
	Reason string `json:"reason"`
}

type response struct {
	Results []result  `json:"results"`
	Skipped []skipped `json:"skipped"`
}

// A skip is a reason why something isn't updated. Other errors end the job.
type skip struct{ reason string }

func (s skip) Error() string { return s.reason }

func skipf(format string, values ...any) error { return skip{fmt.Sprintf(format, values...)} }

var (
	userInfo   = regexp.MustCompile(`//[^/@\s]*@`)
	unprinted  = regexp.MustCompile(`[^\x21-\x7e]+`)
	modulePath = regexp.MustCompile(`^[\w~][\w.~-]*(/[\w~.][\w.~+-]*)*$`)
)

// plain gives a reason in one line, without what may be a secret.
func plain(text string) string {
	text = strings.TrimSpace(unprinted.ReplaceAllString(userInfo.ReplaceAllString(text, "//"), " "))
	if len(text) > 500 {
		text = text[:500]
	}
	if text == "" {
		return "It failed"
	}
	return text
}

// --- The request and the result ----------------------------------------------------------------------------------------------

func readRequest() (request, error) {
	var text strings.Builder
	for part := 1; ; part++ {
		value := os.Getenv(fmt.Sprintf("DEPENDENCY_BOT_REQUEST_%d", part))
		if value == "" {
			break
		}
		text.WriteString(value)
	}
	reader, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text.String())))
	if err != nil {
		return request{}, err
	}
	var wanted request
	return wanted, json.NewDecoder(reader).Decode(&wanted)
}

func encode(value response) (int, string) {
	content, _ := json.Marshal(value) // it has nothing that JSON can't hold
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, _ = writer.Write(content) // a buffer takes all
	_ = writer.Close()
	return len(content), base64.StdEncoding.EncodeToString(packed.Bytes())
}

// writeResponse writes the output of the job. Results that don't fit are skipped.
func writeResponse(all response) error {
	kept := response{Results: []result{}, Skipped: append([]skipped{}, all.Skipped[:min(len(all.Skipped), mostSkipped)]...)}
	for _, one := range all.Results {
		more := response{Results: append(append([]result{}, kept.Results...), one), Skipped: kept.Skipped}
		if size, text := encode(more); size <= resultBytes && len(text)*102/100 <= resultCharacters {
			kept = more
		} else {
			reason := "The change is too large for the result of a job"
			kept.Skipped = append(kept.Skipped, skipped{one.Dependencies[0].Name, reason})
		}
	}
	_, text := encode(kept)
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	end := "END_" + hex.EncodeToString(random)
	file, err := os.OpenFile(os.Getenv("GITHUB_OUTPUT"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	// Runners read this file line by line, and some of them only lines of less than 64 KiB.
	var lines strings.Builder
	for at := 0; at < len(text); at += 4096 {
		lines.WriteString(text[at:min(at+4096, len(text))] + "\n")
	}
	if _, err := fmt.Fprintf(file, "result<<%s\n%s%s\n", end, lines.String(), end); err != nil {
		return err
	}
	fmt.Printf("%d updates, %d left out\n", len(kept.Results), len(kept.Skipped))
	return nil
}

func min(one, other int) int {
	if one < other {
		return one
	}
	return other
}

// --- Programs ----------------------------------------------------------------------------------------------------------------

var (
	repository = os.Getenv("DEPENDENCY_BOT_DIRECTORY")
	scratch    string
	// What programs get of the environment: no token of the job, and no files by which it changes the job.
	passed = regexp.MustCompile(`(?i)^(PATH|LANG|(https?|no)_proxy|SSL_CERT_(FILE|DIR)|NETRC)$`)
	// The settings of Go that say where modules come from.
	goSettings = []string{"GOPROXY", "GONOPROXY", "GOPRIVATE", "GOSUMDB", "GONOSUMDB"}
	goEnv      []string
)

func passedEnv() []string {
	var env []string
	for _, one := range os.Environ() {
		if name, _, _ := strings.Cut(one, "="); passed.MatchString(name) {
			env = append(env, one)
		}
	}
	return env
}

type limitedWriter struct {
	bytes.Buffer
	left int
}

func (w *limitedWriter) Write(data []byte) (int, error) {
	if w.left -= len(data); w.left < 0 {
		return 0, errors.New("too much output")
	}
	return w.Buffer.Write(data)
}

// run runs a program without a shell, with a time limit for it and all that it starts.
func run(limit time.Duration, folder string, env []string, input io.Reader, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	command := exec.Command(program, args...)
	command.Dir, command.Env, command.Stdin = folder, env, input
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	output, problems := &limitedWriter{left: 256 << 20}, &limitedWriter{left: 1 << 20}
	command.Stdout, command.Stderr = output, problems
	if err := command.Start(); err != nil {
		return "", err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	end := func() { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) } // it may have ended
	select {
	case err := <-ended:
		end()
		if err != nil {
			return "", skipf("%s %s: %s", program, args[0], plain(problems.String()))
		}
		return output.String(), nil
	case <-ctx.Done():
		end()
		<-ended
		return "", skipf("%s %s took more than %s", program, args[0], limit)
	}
}

func git(input string, args ...string) (string, error) {
	env := append(passedEnv(), "HOME="+scratch, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*", "GIT_LITERAL_PATHSPECS=1",
		"GIT_INDEX_FILE="+filepath.Join(scratch, "index"))
	return run(gitTime, scratch, env, strings.NewReader(input), "git", append([]string{"-C", repository}, args...)...)
}

// settings reads where modules come from, and gives the environment of all other calls of Go.
func settings() error {
	home, _ := os.UserHomeDir() // without one, Go has no settings of the user
	env := append(passedEnv(), "HOME="+home, "GOTOOLCHAIN=local", "GO111MODULE=on")
	for _, name := range goSettings {
		if value, is := os.LookupEnv(name); is {
			env = append(env, name+"="+value)
		}
	}
	text, err := run(listTime, scratch, env, nil, "go", append([]string{"env", "-json"}, goSettings...)...)
	if err != nil {
		return err
	}
	values := map[string]string{}
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return err
	}
	if _, is := os.LookupEnv("NETRC"); !is && home != "" {
		goEnv = append(goEnv, "NETRC="+filepath.Join(home, ".netrc"))
	}
	goEnv = append(append(goEnv, passedEnv()...),
		"HOME="+filepath.Join(scratch, "home"), "TMPDIR="+scratch, "GOPATH="+filepath.Join(scratch, "go"),
		"GOCACHE="+filepath.Join(scratch, "cache"), "GOENV=off", "GOWORK=off", "GO111MODULE=on", "GOTOOLCHAIN=local",
		"GOFLAGS=-mod=mod -modcacherw", "GOVCS=*:off", "GOAUTH=netrc", "CGO_ENABLED=0", "GOTELEMETRY=off")
	for _, name := range goSettings {
		goEnv = append(goEnv, name+"="+values[name])
	}
	return os.MkdirAll(filepath.Join(scratch, "home"), 0o700)
}

func goCommand(limit time.Duration, folder string, args ...string) (string, error) {
	return run(limit, folder, goEnv, nil, "go", args...)
}

// --- The module --------------------------------------------------------------------------------------------------------------

type requirement struct {
	Path     string
	Version  string
	Indirect bool
}

type goMod struct {
	Require []requirement
	Replace []struct {
		Old struct{ Path, Version string }
		New struct{ Path, Version string }
	}
}

type project struct {
	folder string
	// The paths of the files in the repository: `go.mod`, and `go.sum` that may not exist yet.
	files []string
	// What the files hold in the commit.
	before map[string]string
	mod    goMod
}

var treeEntry = regexp.MustCompile(`(?s)^(\d{6}) \w+ [\da-f]+\t(.*)$`)

func load(directory string) (*project, error) {
	relative := strings.Trim(directory, "/")
	listing, err := git("", "ls-tree", "-r", "-z", "--full-tree", "HEAD")
	if err != nil {
		return nil, err
	}
	modes := map[string]string{}
	for _, entry := range strings.Split(listing, "\x00") {
		if match := treeEntry.FindStringSubmatch(entry); match != nil {
			modes[match[2]] = match[1]
		}
	}
	modFile, sumFile := path.Join(relative, "go.mod"), path.Join(relative, "go.sum")
	if modes[modFile] == "" {
		return nil, skipf("The folder has no go.mod")
	}
	if _, is := modes[path.Join(relative, "vendor/modules.txt")]; is {
		return nil, skipf("The module has a folder of copies (vendor), which is not supported")
	}
	for _, file := range []string{modFile, sumFile} {
		if mode := modes[file]; mode != "" && !strings.HasPrefix(mode, "100") {
			return nil, skipf("%s is not a file", plain(file))
		}
	}
	// A checkout with symbolic links could lead Go out of the repository.
	for _, mode := range modes {
		if mode == "120000" {
			if err := removeLinks(modes); err != nil {
				return nil, err
			}
			break
		}
	}
	one := &project{folder: filepath.Join(repository, relative), files: []string{modFile, sumFile}, before: map[string]string{}}
	for _, file := range one.files {
		if modes[file] != "" {
			if one.before[file], err = git("", "cat-file", "blob", "HEAD:"+file); err != nil {
				return nil, err
			}
		}
	}
	if one.mod, err = one.read(); err != nil {
		return nil, err
	}
	for _, replace := range one.mod.Replace {
		target := path.Join(relative, replace.New.Path)
		isFolder := replace.New.Version == ""
		if isFolder && (path.IsAbs(replace.New.Path) || target == ".." || strings.HasPrefix(target, "../")) {
			return nil, skipf("go.mod replaces %s by a folder outside of the repository", plain(replace.Old.Path))
		}
	}
	return one, nil
}

func removeLinks(modes map[string]string) error {
	for file, mode := range modes {
		if mode != "120000" {
			continue
		}
		name := filepath.Join(repository, file)
		if info, err := os.Lstat(name); err == nil && info.Mode()&os.ModeSymlink != 0 {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *project) read() (goMod, error) {
	var mod goMod
	text, err := goCommand(listTime, p.folder, "mod", "edit", "-json", "go.mod")
	if err != nil {
		return mod, err
	}
	return mod, json.Unmarshal([]byte(text), &mod)
}

// reset gives the files their contents of the commit.
func (p *project) reset() error {
	for _, file := range p.files {
		name := filepath.Join(repository, file)
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if text, is := p.before[file]; is {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// patch gives the change of the two files, made in an index of its own.
func (p *project) patch() (string, error) {
	if _, err := git("", "read-tree", "HEAD"); err != nil {
		return "", err
	}
	for _, file := range p.files {
		content, err := os.ReadFile(filepath.Join(repository, file))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		oid, err := git(string(content), "hash-object", "-w", "--stdin")
		if err != nil {
			return "", err
		}
		entry := "100644 " + strings.TrimSpace(oid) + "\t" + file + "\x00"
		if _, err := git(entry, "update-index", "-z", "--index-info"); err != nil {
			return "", err
		}
	}
	args := []string{"diff", "--cached", "--binary", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv",
		"--no-renames", "--src-prefix=a/", "--dst-prefix=b/", "HEAD", "--"}
	return git("", append(args, p.files...)...)
}

// --- Versions ----------------------------------------------------------------------------------------------------------------

type version struct {
	numbers    [3]string
	prerelease []string
}

var semantic = regexp.MustCompile(`^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([\w.-]+))?(?:\+[\w.-]+)?$`)

func parse(text string) (version, bool) {
	match := semantic.FindStringSubmatch(strings.TrimSpace(text))
	if match == nil {
		return version{}, false
	}
	var one version
	for at := range one.numbers {
		if one.numbers[at] = strings.TrimLeft(match[at+1], "0"); one.numbers[at] == "" {
			one.numbers[at] = "0"
		}
	}
	if match[4] != "" {
		one.prerelease = strings.Split(match[4], ".")
	}
	return one, true
}

func compareNumbers(one, other string) int {
	if len(one) != len(other) {
		return len(one) - len(other)
	}
	return strings.Compare(one, other)
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

func (v version) compare(other version) int {
	for at := range v.numbers {
		if sign := compareNumbers(v.numbers[at], other.numbers[at]); sign != 0 {
			return sign
		}
	}
	if len(v.prerelease) == 0 || len(other.prerelease) == 0 {
		return len(other.prerelease) - len(v.prerelease)
	}
	for at := 0; at < len(v.prerelease) && at < len(other.prerelease); at++ {
		one, two := v.prerelease[at], other.prerelease[at]
		if one == two {
			continue
		}
		switch {
		case isNumber(one) && isNumber(two):
			return compareNumbers(strings.TrimLeft(one, "0"), strings.TrimLeft(two, "0"))
		case isNumber(one):
			return -1
		case isNumber(two):
			return 1
		}
		return strings.Compare(one, two)
	}
	return len(v.prerelease) - len(other.prerelease)
}

func updateType(before, after version) string {
	switch {
	case before.numbers[0] != after.numbers[0]:
		return "major"
	case before.numbers[1] != after.numbers[1]:
		return "minor"
	}
	return "patch"
}

var bound = regexp.MustCompile(`^\s*([<>]=?|==?|!=|~>|\^|~)?\s*(\S+)\s*$`)

// inAdvisory says whether a version is in a range of an advisory: `>= 1.0.0, < 1.2.3 || = 2.0.0`.
func inAdvisory(one version, text string) bool {
	return inRange(one, text, true)
}

// inRange compares with the bounds of a range. What can't be read includes every version, or none.
func inRange(one version, text string, unread bool) bool {
	for _, part := range strings.Split(text, "||") {
		isIn := true
		for _, item := range strings.Split(separated(part), ",") {
			isIn = isIn && inBound(one, item, unread)
		}
		if isIn {
			return true
		}
	}
	return false
}

var blankBefore = regexp.MustCompile(`([\w.*])\s+([<>=!~^])`)

// separated puts commas between bounds that only a blank separates.
func separated(part string) string { return blankBefore.ReplaceAllString(part, "$1,$2") }

var wildcard = regexp.MustCompile(`^v?(\d+)(?:\.(\d+))?\.[x*]$`)

func inBound(one version, text string, unread bool) bool {
	match := bound.FindStringSubmatch(text)
	if match == nil {
		return unread
	}
	if parts := wildcard.FindStringSubmatch(match[2]); parts != nil {
		return one.numbers[0] == parts[1] && (parts[2] == "" || one.numbers[1] == parts[2])
	}
	other, is := parse(match[2])
	if !is {
		return unread
	}
	sign := one.compare(other)
	switch match[1] {
	case "<":
		return sign < 0
	case "<=":
		return sign <= 0
	case ">":
		return sign > 0
	case ">=":
		return sign >= 0
	case "!=":
		return sign != 0
	case "^":
		return sign >= 0 && one.numbers[0] == other.numbers[0]
	case "~", "~>":
		// The last number that is written may grow.
		isMinor := strings.Count(match[2], ".") >= 2
		return sign >= 0 && one.numbers[0] == other.numbers[0] && (!isMinor || one.numbers[1] == other.numbers[1])
	}
	return sign == 0
}

var listed = map[string][]string{}

// versionsOf gives the versions of a module that aren't withdrawn, the lowest first.
func versionsOf(name string) ([]string, error) {
	if known, is := listed[name]; is {
		return known, nil
	}
	// Outside of the module, so that its replacements and its directives have no effect.
	text, err := goCommand(listTime, scratch, "list", "-m", "-versions", "-json", name+"@latest")
	if err != nil {
		return nil, err
	}
	var module struct{ Versions []string }
	if err := json.Unmarshal([]byte(text), &module); err != nil {
		return nil, err
	}
	var valid []string
	for _, one := range module.Versions {
		if parsed, is := parse(one); is && len(parsed.prerelease) == 0 && len(one) <= 200 {
			valid = append(valid, one)
		}
	}
	sort.Slice(valid, func(i, j int) bool { return mustParse(valid[i]).compare(mustParse(valid[j])) < 0 })
	listed[name] = valid
	return valid, nil
}

// mustParse parses what was parsed before.
func mustParse(text string) version {
	one, _ := parse(text)
	return one
}

// isComparable says whether a version may replace another: one without support for modules replaces only such ones.
func isComparable(from, to string) bool {
	return strings.HasSuffix(from, "+incompatible") || !strings.HasSuffix(to, "+incompatible")
}

// mendingVersion gives the smallest version that mends a vulnerable one; "" if it isn't vulnerable.
func mendingVersion(advisories []advisory, from string, versions []string) (string, error) {
	current := mustParse(from)
	var matching []advisory
	for _, one := range advisories {
		if anyOf(one.Vulnerable, func(text string) bool { return inAdvisory(current, text) }) {
			matching = append(matching, one)
		}
	}
	if len(matching) == 0 {
		return "", nil
	}
	for _, candidate := range versions {
		version := mustParse(candidate)
		if version.compare(current) <= 0 || !isComparable(from, candidate) {
			continue
		}
		isMended := true
		for _, one := range matching {
			patched, is := parse(one.Patched)
			isMended = isMended && is && version.compare(patched) >= 0
		}
		for _, one := range advisories {
			isMended = isMended && !anyOf(one.Vulnerable, func(text string) bool { return inAdvisory(version, text) })
		}
		if isMended {
			return candidate, nil
		}
	}
	return "", skipf("No published version mends %s", from)
}

func anyOf(texts []string, test func(string) bool) bool {
	for _, text := range texts {
		if test(text) {
			return true
		}
	}
	return false
}

// --- Rules -------------------------------------------------------------------------------------------------------------------

func matches(pattern, text string) bool {
	parts := strings.Split(strings.ToLower(pattern), "*")
	text = strings.ToLower(text)
	if len(parts) == 1 {
		return text == parts[0]
	}
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}

func typeOf(one requirement) string {
	if one.Indirect {
		return "indirect"
	}
	return "production"
}

func isIgnored(rule ignoreRule, name string, from, to version) bool {
	if !matches(rule.Name, name) {
		return false
	}
	if rule.Versions == nil && rule.UpdateTypes == nil {
		return true
	}
	return anyOf(rule.UpdateTypes, func(one string) bool { return one == updateType(from, to) }) ||
		anyOf(rule.Versions, func(text string) bool { return inRange(to, text, false) })
}

func isAllowed(one requirement, allow *[]allowRule) bool {
	if allow == nil {
		return !one.Indirect
	}
	for _, rule := range *allow {
		if rule.Name != "" && !matches(rule.Name, one.Path) {
			continue
		}
		switch rule.Type {
		case "all":
			return true
		case "indirect":
			if one.Indirect {
				return true
			}
		case "", "direct", "production":
			if !one.Indirect {
				return true
			}
		}
	}
	return false
}

func isInGroup(one requirement, candidate group) bool {
	named := func(pattern string) bool { return matches(pattern, one.Path) }
	return (len(candidate.Patterns) == 0 || anyOf(candidate.Patterns, named)) && !anyOf(candidate.ExcludePatterns, named) &&
		candidate.DependencyType != "development"
}

func groupOf(one requirement, groups []group) *group {
	for at := range groups {
		if isInGroup(one, groups[at]) {
			return &groups[at]
		}
	}
	return nil
}

func hasCooled(name string, from, to string, rule *cooldown) bool {
	named := func(pattern string) bool { return matches(pattern, name) }
	if rule == nil || (len(rule.Include) > 0 && !anyOf(rule.Include, named)) || anyOf(rule.Exclude, named) {
		return true
	}
	text, err := goCommand(listTime, scratch, "list", "-m", "-json", name+"@"+to)
	var module struct{ Time time.Time }
	if err != nil || json.Unmarshal([]byte(text), &module) != nil || module.Time.IsZero() {
		return true
	}
	days := map[string]int{"major": rule.Major, "minor": rule.Minor, "patch": rule.Patch}
	wait := time.Duration(days[updateType(mustParse(from), mustParse(to))]) * 24 * time.Hour
	return wait == 0 || time.Since(module.Time) >= wait
}

// choose gives the highest version that the rules allow; "" if that is the present one.
func choose(one requirement, wanted rules, types []string) (string, error) {
	versions, err := versionsOf(one.Path)
	if err != nil {
		return "", err
	}
	from := mustParse(one.Version)
	for at := len(versions) - 1; at >= 0; at-- {
		to := mustParse(versions[at])
		if to.compare(from) <= 0 {
			return "", nil
		}
		isWanted := types == nil || anyOf(types, func(one string) bool { return one == updateType(from, to) })
		for _, rule := range wanted.Ignore {
			isWanted = isWanted && !isIgnored(rule, one.Path, from, to)
		}
		if isWanted && isComparable(one.Version, versions[at]) && hasCooled(one.Path, one.Version, versions[at], wanted.Cooldown) {
			return versions[at], nil
		}
	}
	return "", nil
}

// --- Updates -----------------------------------------------------------------------------------------------------------------

type updates struct {
	request request
	project *project
	response
}

func (u *updates) skip(name string, err error) error {
	var reason skip
	if !errors.As(err, &reason) {
		return err
	}
	if !modulePath.MatchString(name) {
		name = ""
	}
	one := skipped{name, plain(reason.reason)}
	for _, other := range u.Skipped {
		if other == one {
			return nil
		}
	}
	u.Skipped = append(u.Skipped, one)
	return nil
}

func keyOf(group string, dependencies []dependency) string {
	var names []string
	for _, one := range dependencies {
		names = append(names, one.Name+"@"+strings.TrimPrefix(one.To, "v"))
	}
	sort.Strings(names)
	return group + "\n" + strings.Join(names, "\n")
}

func (u *updates) isOpen(group string, dependencies []dependency) bool {
	for _, one := range u.request.Open {
		if keyOf(one.Group, one.Dependencies) == keyOf(group, dependencies) {
			return true
		}
	}
	return false
}

// add makes the change of some modules, and puts the files back as they were.
func (u *updates) add(group string, dependencies []dependency) (err error) {
	if u.isOpen(group, dependencies) {
		return nil
	}
	if len(u.Results) >= mostResults {
		return skipf("Further updates wait until some of these are done")
	}
	if len(dependencies) > mostDependencies {
		return skipf("The group has too many dependencies")
	}
	defer func() {
		if failed := u.project.reset(); err == nil {
			err = failed
		}
	}()
	args := []string{"get"}
	for _, one := range dependencies {
		args = append(args, one.Name+"@"+one.To)
	}
	if _, err := goCommand(tidyTime, u.project.folder, args...); err != nil {
		return err
	}
	if _, err := goCommand(tidyTime, u.project.folder, "mod", "tidy"); err != nil {
		return err
	}
	mod, err := u.project.read()
	if err != nil {
		return err
	}
	now := map[string]string{}
	for _, one := range mod.Require {
		now[one.Path] = one.Version
	}
	for at, one := range dependencies {
		// Another module may require a later version, and what nothing requires is gone.
		if version := now[one.Name]; version != "" {
			if mustParse(version).compare(mustParse(one.To)) < 0 {
				return skipf("go keeps %s at %s", one.Name, version)
			}
			dependencies[at].To = version
		}
	}
	patch, err := u.project.patch()
	if err != nil {
		return err
	}
	if patch == "" {
		return skipf("The update changes nothing")
	}
	if !utf8.ValidString(patch) {
		return skipf("go.mod is not in UTF-8")
	}
	u.Results = append(u.Results, result{group, dependencies, patch})
	return nil
}

func (u *updates) required(name string) (requirement, error) {
	if !modulePath.MatchString(name) || len(name) > 500 {
		return requirement{}, skipf("It is not the name of a module")
	}
	for _, replace := range u.project.mod.Replace {
		if replace.Old.Path == name || replace.New.Path == name {
			return requirement{}, skipf("go.mod replaces it")
		}
	}
	for _, one := range u.project.mod.Require {
		if one.Path == name {
			return one, nil
		}
	}
	return requirement{}, skipf("go.mod does not require it")
}

func (u *updates) mend(name string, advisories []advisory) (*group, *dependency, error) {
	one, err := u.required(name)
	if err != nil {
		return nil, nil, err
	}
	versions, err := versionsOf(name)
	if err != nil {
		return nil, nil, err
	}
	to, err := mendingVersion(advisories, one.Version, versions)
	if err != nil {
		return nil, nil, err
	}
	if to == "" {
		return nil, nil, skipf("go.mod requires no vulnerable version of it")
	}
	own := groupOf(one, u.request.SecurityGroups)
	kind := updateType(mustParse(one.Version), mustParse(to))
	if own != nil && own.UpdateTypes != nil && !anyOf(own.UpdateTypes, func(one string) bool { return one == kind }) {
		own = nil
	}
	return own, &dependency{name, one.Version, to, typeOf(one)}, nil
}

type plan struct {
	group        string
	dependencies []dependency
}

// plans collects updates in their order: those of a group together.
type plans []plan

func (p *plans) put(own *group, one dependency) {
	if own == nil {
		*p = append(*p, plan{"", []dependency{one}})
		return
	}
	for at := range *p {
		if (*p)[at].group == own.Name {
			(*p)[at].dependencies = append((*p)[at].dependencies, one)
			return
		}
	}
	*p = append(*p, plan{own.Name, []dependency{one}})
}

func (u *updates) security() error {
	var names []string
	advisories := map[string][]advisory{}
	for _, one := range u.request.Security {
		if advisories[one.Name] == nil {
			names = append(names, one.Name)
		}
		advisories[one.Name] = append(advisories[one.Name], one)
	}
	var planned plans
	for _, name := range names {
		own, one, err := u.mend(name, advisories[name])
		if err != nil {
			if err := u.skip(name, err); err != nil {
				return err
			}
			continue
		}
		planned.put(own, *one)
	}
	return u.addAll(planned, len(planned))
}

func (u *updates) versions() error {
	wanted := u.request.Version
	var grouped, alone plans
	for _, one := range u.project.mod.Require {
		if _, err := u.required(one.Path); err != nil || !isAllowed(one, wanted.Allow) {
			continue
		}
		if _, is := parse(one.Version); !is || len(one.Version) > 200 {
			continue
		}
		own := groupOf(one, wanted.Groups)
		if own != nil {
			to, err := choose(one, wanted, own.UpdateTypes)
			if err != nil {
				if err := u.skip(one.Path, err); err != nil {
					return err
				}
				continue
			}
			if to != "" {
				grouped.put(own, dependency{one.Path, one.Version, to, typeOf(one)})
			}
			if own.UpdateTypes == nil {
				continue
			}
		}
		to, err := choose(one, wanted, nil)
		if err != nil {
			if err := u.skip(one.Path, err); err != nil {
				return err
			}
			continue
		}
		if to == "" {
			continue
		}
		kind := updateType(mustParse(one.Version), mustParse(to))
		// What a group doesn't take, such as a new major version, has an update of its own.
		if own == nil || !anyOf(own.UpdateTypes, func(one string) bool { return one == kind }) {
			alone.put(nil, dependency{one.Path, one.Version, to, typeOf(one)})
		}
	}
	return u.addAll(append(grouped, alone...), wanted.Limit)
}

func (u *updates) addAll(planned plans, limit int) error {
	for _, one := range planned {
		if len(u.Results) >= limit {
			return u.skip("", skipf("Further updates wait, since the limit of open pull requests is reached"))
		}
		if err := u.add(one.group, one.dependencies); err != nil {
			if err := u.skip(one.dependencies[0].Name, err); err != nil {
				return err
			}
		}
	}
	return nil
}

func find(wanted request) (response, error) {
	found := &updates{request: wanted}
	err := settings()
	if err == nil {
		found.project, err = load(wanted.Directory)
	}
	if err == nil && wanted.Kind == "security" {
		err = found.security()
	} else if err == nil {
		err = found.versions()
	}
	if err != nil {
		err = found.skip("", err)
	}
	return found.response, err
}

func work() error {
	folder, err := os.MkdirTemp("", "dependency-bot-go-")
	if err != nil {
		return err
	}
	scratch = folder
	defer os.RemoveAll(folder)
	wanted, err := readRequest()
	if err != nil {
		return err
	}
	found, err := find(wanted)
	if err != nil {
		return err
	}
	return writeResponse(found)
}

func main() {
	if err := work(); err != nil {
		// Texts of the repository must not begin a line, where runners read commands.
		fmt.Fprintln(os.Stderr, "The updates can't be found:", plain(err.Error()))
		os.Exit(1)
	}
}
